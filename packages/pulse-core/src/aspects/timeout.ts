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
    let running: Promise<unknown> | void;
    try {
      running = inner(level);
    } catch (error) {
      disarm();
      throw error;
    }
    if (running === undefined) {
      disarm();
      return undefined;
    }
    const chain = running;
    return new Promise((resolve, reject) => {
      let over = false;
      fire = () => {
        over = true;
        disarm();
        const error = timedOut(level, timeoutMs);
        level.close();
        level.abort(error, true);
        level.execution.late.add(level);
        reject(error);
      };
      const settle = (end: () => void, error?: { readonly error: unknown }): void => {
        if (over) reportLate(level, error);
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

function reportLate(level: NodeContext, error: { readonly error: unknown } | undefined): void {
  level.execution.late.delete(level);
  level.tell({ kind: "late-settled", ...error });
}
