import { expect, test } from "vitest";
import { checkpoint } from "../checkpoint/index.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { runProgram } from "../testing/stream-program.ts";

/** `PULSE_SEED` gives the first seed, `PULSE_PROGRAMS` how many. */
/** Milliseconds: half a minute on a quiet machine. */
const timeout = 600_000;
const first = Number(process.env["PULSE_SEED"] ?? 1);
const programs = Number(process.env["PULSE_PROGRAMS"] ?? 20_000);

test(
  "STR-2 STR-3 STR-5 STR-7 STR-30 STR-36 STR-46 random programs of sends, receives, acknowledgements, stops, failures and cancellations do what the model says",
  { timeout },
  async () => {
    const done: Record<string, number> = {};
    for (let seed = first; seed < first + programs; seed++) {
      const report = await runProgram(seed);
      expect(report.faults).toEqual([]);
      for (const [what, count] of [...Object.entries(report.done), [report.outcome, 1] as const])
        done[what] = (done[what] ?? 0) + count;
    }
    console.log(`${programs} programs from seed ${first}: ${JSON.stringify(done)}`);
    // One program alone reaches little: this is for the whole.
    if (programs >= 1_000)
      for (const what of [
        "sent",
        "sent to nobody",
        "send cancelled",
        "receive cancelled",
        "writer's try failed",
        "reader's try failed",
        "delivered again",
        "stopped",
        "end",
        "end after a stop",
        "cancelled",
        "completed",
        "failed",
        "interrupted",
      ])
        expect([what, (done[what] ?? 0) > 10]).toEqual([what, true]);
  },
);

test(
  "STR-22 STR-30 STR-36 CKPT-36 the same programs with hooks that confirm each operation do what the model says",
  { timeout },
  async () => {
    const few = Math.ceil(programs / 3);
    for (let seed = first; seed < first + few; seed++) {
      const { hooks } = streamHooksOfTest();
      const report = await runProgram(seed, { checkpoint: checkpoint({ scope: "root", hooks }) });
      expect([seed, report.faults]).toEqual([seed, []]);
    }
  },
);
