import { PulseError } from "../errors.ts";
import { refuse, timeProblem } from "../option-check.ts";
import { after } from "../run/host.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { Aspect } from "./aspect.ts";
import { makeBuiltIn } from "./built-in.ts";

/**
 * Fails what is inside it with PULSE_TIMEOUT after `timeoutMs` milliseconds and aborts its signal (CORE-15). A body that
 * ignores the signal goes on alone: it can write no more, and how it ends is an event. `Infinity` never fires.
 * A resumed run begins the time anew (CORE-46).
 */
export function timeout(timeoutMs: number): Aspect {
  refuse("timeout", [timeProblem("the time", timeoutMs)]);
  return makeBuiltIn("timeout", (outer, _place, inner) => {
    const level = outer.derive(false);
    let fire = (): void => {};
    // The timer is armed first: a mount inside it may run for long in this very call.
    const cancelTimer = after(level.execution.tree.host, timeoutMs, () => fire());
    const stopListening = level.onAbort(cancelTimer);
    const disarm = (): void => {
      cancelTimer();
      stopListening();
    };
    let running: Promise<unknown> | void = undefined;
    try {
      running = inner(level);
    } finally {
      if (running === undefined) disarm();
    }
    if (running === undefined) return undefined;
    const chain = running;
    const { late } = level.execution;
    return new Promise((resolve, reject) => {
      fire = () => {
        disarm();
        const error = timedOut(level, timeoutMs);
        level.close();
        level.abort(error, true);
        late.add(level);
        reject(error);
      };
      const settle = (end: () => void, error?: { readonly error: unknown }): void => {
        if (late.delete(level)) level.tell({ kind: "late-settled", ...error });
        else {
          disarm();
          end();
        }
      };
      chain.then(
        () => settle(() => resolve(undefined)),
        (error: unknown) => settle(() => reject(error), { error }),
      );
    });
  });
}

function timedOut(level: NodeContext, timeoutMs: number): PulseError<"PULSE_TIMEOUT"> {
  return new PulseError("PULSE_TIMEOUT", `node "${level.path}" was not done after ${timeoutMs} ms`, {
    details: { path: level.path, timeoutMs },
  });
}
