import type { ChildStop } from "./child-order.ts";
import type { ChildVoice } from "./child-voice.ts";

/** The fault points of one process: counted, and one of them deadly. */
export interface FaultPoints {
  reach(point: string): void;
  readonly counts: Readonly<Record<string, number>>;
}

export function faultPoints(deadly: Extract<ChildStop, { kind: "point" }> | undefined, tell: ChildVoice): FaultPoints {
  const counts: Record<string, number> = {};
  return {
    counts,
    reach(point) {
      const count = (counts[point] ?? 0) + 1;
      counts[point] = count;
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
