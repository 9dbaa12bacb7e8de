import { openBench } from "./bench.ts";
import { shownError } from "./expectation.ts";
import { checkMsDefault } from "./requirement.ts";
import type { Requirement } from "./requirement.ts";
import type { StoreSubject } from "./subject.ts";

export interface RunOptions {
  /** The absolute path of the store module. */
  readonly module?: string | undefined;
  readonly seed: number;
  readonly kills: number;
  readonly say?: ((progress: string) => void) | undefined;
}

/**
 * Checks one requirement on an empty place. @throws an Error that begins with its id and says what was seen, what was
 * wanted and how to repeat it; its `cause` is what the check threw
 */
export async function runCheck(requirement: Requirement, subject: StoreSubject, options: RunOptions): Promise<void> {
  const { id, title, checkMs = checkMsDefault } = requirement;
  const ending = new AbortController();
  const late = setTimeout(() => ending.abort(new Error(`it has not ended within ${checkMs} ms`)), checkMs);
  try {
    await unlessEnded(ending.signal, checkOnBench(requirement, subject, ending.signal, options));
  } catch (error) {
    const lines = [`${id}: ${title}`, ...told(error), `repeat it with PULSE_SEED=${options.seed}`];
    throw new Error(lines.join("\n  "), { cause: error });
  } finally {
    clearTimeout(late);
  }
}

/** What a check saw and wanted; of an error that no check expects also where it came from. */
function told(error: unknown): readonly string[] {
  if (error instanceof Error && /\bseen: [^]*; wanted: /.test(error.message)) return [error.message];
  const stack = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return [
    `seen: ${shownError(error)}; wanted: no error here`,
    ...stack.slice(0, stackLinesMax).map((line) => line.trim()),
  ];
}

const stackLinesMax = 4;

async function checkOnBench(
  requirement: Requirement,
  subject: StoreSubject,
  signal: AbortSignal,
  { module, seed, kills, say }: RunOptions,
): Promise<void> {
  const bench = await openBench(subject, { module, seed, kills, signal, say });
  try {
    await requirement.check(bench);
  } catch (error) {
    // What it met first is what is told: after it, closing may well fail too.
    await bench.close().catch(() => undefined);
    throw error;
  }
  try {
    await bench.close();
  } catch (error) {
    throw new Error(`the check itself passed, but closing what it had opened failed: ${shownError(error)}`, {
      cause: error,
    });
  }
}

/** Settles as the work does, or rejects with the signal's reason: a store that hangs must not keep the report. */
async function unlessEnded(signal: AbortSignal, work: Promise<void>): Promise<void> {
  let end = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason as Error);
    signal.addEventListener("abort", end);
  });
  try {
    await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
