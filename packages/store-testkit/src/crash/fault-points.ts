import type { ChildStop } from "./child-order.ts";
import type { ChildVoice } from "./child-voice.ts";

/** The fault points of one process: counted, and one of them deadly. */
export interface FaultPoints {
  reach(point: string): void;
  readonly counts: Readonly<Record<string, number>>;
}

/** `tell` hears of the kill before it happens, `first` of each point when it is reached for the first time. */
export function faultPoints(
  deadly: Omit<Extract<ChildStop, { kind: "point" }>, "kind"> | undefined,
  tell: ChildVoice<{ readonly kind: "killing"; readonly point: string }>,
  first: (point: string) => void = () => {},
): FaultPoints {
  const counts: Record<string, number> = {};
  return {
    counts,
    reach(point) {
      const count = (counts[point] ?? 0) + 1;
      counts[point] = count;
      if (count === 1) first(point);
      if (point === deadly?.point && count === deadly.nth) {
        tell({ kind: "killing", point });
        dieAtOnce();
      }
    },
  };
}

/** As `kill -9` from outside: nothing of this process runs any more, no handler, no flush. */
function dieAtOnce(): never {
  process.kill(process.pid, "SIGKILL");
  // Should the signal take a moment: nothing may go on in between.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error("this process was killed and goes on");
}
