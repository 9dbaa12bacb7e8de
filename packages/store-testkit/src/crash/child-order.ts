/** What a process is told to do, as JSON on its command line. */
export interface ChildOrder {
  /** The subject and the store of the program, by name. */
  readonly subject: string;
  readonly store: string;
  /** Given to the subject: which one of its kind. */
  readonly input: string;
  /** Where the store keeps its records, in its own words. */
  readonly place: string;
  readonly runId: string;
  /** The order in which ready nodes start in this process. */
  readonly seed: number;
  readonly stop?: ChildStop;
  /** The medium may fail in this process without having been told to: then it ends, and the next one resumes. */
  readonly mayLoseStore?: boolean;
}

/** Where the process stops by itself. */
export type ChildStop =
  /** It kills itself when it reaches the point for the n-th time, from 1. */
  | { readonly kind: "point"; readonly point: string; readonly nth: number }
  /** The host interrupts the run after so many saves, and resumes it in the same process. */
  | { readonly kind: "cancel"; readonly saves: number };

export function readOrder(words: readonly string[]): ChildOrder {
  const [text] = words;
  if (text === undefined) throw new Error("a process under test takes its order as its first argument");
  // Written by `startChild` of the same package.
  return JSON.parse(text) as ChildOrder;
}
