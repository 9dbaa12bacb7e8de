import { attach } from "@pulse-ts/core";
import { join } from "node:path";
import { outside } from "../graph/outside.ts";
import type { Outside, TailEvent } from "../graph/outside.ts";
import type { Problem } from "../problem.ts";
import { outboxIn, writeWhole } from "../run/outbox.ts";

/** A world in a folder, and what happened in it. */
export function worldIn(folder: string, changes: Partial<Outside> = {}) {
  const seen: TailEvent[] = [];
  const interruption = new AbortController();
  let problem: Problem | undefined;
  const world: Outside = {
    follow: false,
    linesMax: 3,
    see: (event) => void seen.push(event),
    interrupt(found) {
      problem = found;
      interruption.abort(found);
    },
    box: (name) => outboxIn(join(folder, "minutes", name)),
    writeResult: (text) => writeWhole(join(folder, "result.json"), text),
    ...changes,
  };
  return {
    /** For an execution. */
    options: { attachments: [attach(outside, world)], signal: interruption.signal },
    seen,
    problem: () => problem,
  };
}
