import { PulseError } from "../errors.ts";

/** The first reliable failure of a tree: from then on nothing in it becomes a success (CKPT-12). */
export class Latch {
  failure: { readonly cause: unknown; readonly hook: string } | undefined;
  private readonly own = new WeakSet<object>();
  /** Called once, in the step in which the failure is latched. */
  private readonly onFailure: (error: PulseError) => void;

  constructor(onFailure: (error: PulseError) => void) {
    this.onFailure = onFailure;
  }

  /** Latches what a hook threw and gives what the chains see. */
  fail(hook: string, cause: unknown): PulseError {
    if (this.failure === undefined) {
      this.failure = { cause, hook };
      this.onFailure(this.error());
    }
    return this.error();
  }

  error(): PulseError {
    const { cause, hook } = this.failure ?? { cause: undefined, hook: "" };
    const error = new PulseError("PULSE_CHECKPOINT", `${hook} failed: the run stops here`, {
      cause,
      details: { hook, others: [], abandoned: [] },
    });
    this.own.add(error);
    return error;
  }

  /** Whether an error is this latch's own, which says nothing that the latched failure does not. */
  made(error: unknown): boolean {
    return typeof error === "object" && error !== null && this.own.has(error);
  }
}
