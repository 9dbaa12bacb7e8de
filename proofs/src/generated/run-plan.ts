/** A random run as plain data: what {@link buildRun} makes a graph of. Equal seeds give equal plans. */
export interface RunPlan {
  readonly seed: number;
  readonly graph: GraphPlan;
  /** What the host gives for each root input; `undefined`: an optional one that it leaves out. */
  readonly inputs: Readonly<Record<string, PlanValue | undefined>>;
  /** Tries of a retry around every chain of the run; absent: none. */
  readonly retryAll?: number;
  readonly concurrency?: number;
  /** Places of the limiters that bodies share. */
  readonly limiters: readonly number[];
  readonly overriddenKeys: Readonly<Record<string, PlanValue>>;
  /** Paths of bodies that another one stands in for. */
  readonly overriddenNodes: readonly string[];
  readonly isolate: boolean;
  readonly keepFailure: boolean;
  readonly verify: boolean;
}

export interface GraphPlan {
  readonly name: string;
  readonly inputs: readonly InputPlan[];
  readonly nodes: readonly NodePlan[];
  readonly keys: readonly KeyPlan[];
  /** Names of keys; inputs may be among them, which passes them through. */
  readonly outputs: readonly string[];
  readonly aspects: readonly AspectPlan[];
}

export interface KeyPlan {
  readonly name: string;
  /** A zod schema, or a type token: two codecs. */
  readonly schema: boolean;
}

export interface InputPlan extends KeyPlan {
  readonly optional: boolean;
}

/** Every key of every generated graph holds one of these. */
export interface PlanValue {
  readonly sum: number;
  readonly text: string;
}

export type NodePlan = BodyPlan | MountPlan;

export interface BodyPlan {
  readonly kind: "body";
  readonly id: string;
  readonly requires: readonly { readonly key: string; readonly optional: boolean }[];
  readonly provides: readonly string[];
  readonly aspects: readonly AspectPlan[];
  readonly deed: Deed;
  readonly fails?: FailPlan;
  /** Writes its first key before it goes on. */
  readonly early: boolean;
  /** Turns of the event loop that it takes. */
  readonly turns: number;
  /** Characters of its values' texts. */
  readonly textLength: number;
}

/** What a body does in a try that does not fail. */
export type Deed = "value" | "skip-node" | "skip-key" | "forget";

/** In which tries a body fails. */
export interface FailPlan {
  /** Which retry around it counts, in its own chain or in that of a mount above it; absent: it fails in every try. */
  readonly until?: { readonly depth: number; readonly level: number; readonly tries: number };
  /** `hang` waits until a timeout around it aborts its signal, `deaf` ignores that, too. */
  readonly how: "throw" | "refused" | "hang" | "deaf";
}

export interface MountPlan {
  readonly kind: "mount";
  readonly id: string;
  readonly child: GraphPlan;
  /** Child input to parent key. */
  readonly in: Readonly<Record<string, string>>;
  readonly fix: Readonly<Record<string, PlanValue>>;
  /** Child output to parent key. */
  readonly out: Readonly<Record<string, string>>;
  readonly aspects: readonly AspectPlan[];
}

export type AspectPlan =
  | { readonly kind: "retry"; readonly limit: number; readonly delay: number; readonly refuses: boolean }
  | { readonly kind: "timeout"; readonly ms: number }
  | { readonly kind: "limiter"; readonly at: number }
  /** Answers in place of what is inside: from this try on. */
  | { readonly kind: "answer"; readonly fromTry: number }
  /** Gives a value of its own when what is inside has failed for good. */
  | { readonly kind: "catch" }
  /** Does nothing but be there. */
  | { readonly kind: "pass" };
