import { expect, test } from "vitest";
import { runProgram } from "../testing/programs/run-program.ts";

/** Milliseconds: two minutes on a quiet machine. */
const timeout = 1_200_000;
/** `PULSE_SEED` gives the first seed, `PULSE_PROGRAMS` how many. */
const first = Number(process.env["PULSE_SEED"] ?? 1);
const programs = Number(process.env["PULSE_PROGRAMS"] ?? 20_000);

/** What the programs of a whole run must have met: one alone reaches little. */
const met = [
  "sent",
  "sent to nobody",
  "send cancelled",
  "receive cancelled",
  "acknowledged",
  "writer's try failed",
  "reader's try failed",
  "handled",
  "handler failed",
  "reader stopped",
  "end",
  "end after a stop",
  "crashed",
  "cancelled",
  "stopped",
  "completed",
  "failed",
];

test(
  "STR-2 STR-3 STR-7 STR-9 STR-12 STR-15 STR-16 STR-21 STR-23 STR-24 STR-28 STR-30 STR-36 STR-37 STR-39 STR-46 STR-53 random programs of senders, readers, handlers that fail, mounts, aliases and a host, whose processes die, are cancelled or meet errors anywhere, do what the model says over all their resumes",
  { timeout },
  async () => {
    const done: Record<string, number> = {};
    for (let seed = first; seed < first + programs; seed++) {
      const report = await runProgram(seed);
      expect(report.faults).toEqual([]);
      for (const [what, count] of Object.entries(report.done)) done[what] = (done[what] ?? 0) + count;
    }
    console.log(`${programs} programs from seed ${first}: ${JSON.stringify(done)}`);
    if (programs >= 1_000) for (const what of met) expect([what, (done[what] ?? 0) > 10]).toEqual([what, true]);
  },
);
