import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import type { RunRecord } from "../record/format.ts";
import { mutated } from "../testing/mutations.ts";
import { seeded, seedOf } from "../testing/random.ts";
import { digestOf } from "../testing/sample-record.ts";
import { streamDefinition } from "../testing/stream-definition.ts";
import { wholeStreams } from "../testing/whole-streams.ts";
import { repairEnds } from "../transition/repair-ends.ts";
import { checkRecord } from "./check.ts";

/** How many mutated records; `PULSE_MUTATIONS=200000` is for people. */
const count = Number(process.env["PULSE_MUTATIONS"] ?? 5_000);
const seed = seedOf(process.env, 40_002);
const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };

/** The check's verdict: sound, a code, or what it must never do. */
function verdict(record: RunRecord): string {
  try {
    checkRecord(record, streamDefinition, call);
  } catch (error) {
    if (isPulseError(error, "PULSE_INCOMPATIBLE") || isPulseError(error, "PULSE_NEWER_FORMAT")) return error.code;
    if (!isPulseError(error, "PULSE_CORRUPT")) return `threw ${String(error)}`;
    const { where } = error.details;
    const named = /^(?:header|(?:scope|node|attempt|stream|message|try|managed)\/|\w+$)/.test(where);
    return named && error.message.includes(where) ? error.code : `refused without a place: ${error.message}`;
  }
  // What was found sound can be repaired, and is sound after it.
  return repairEnds({ record }).changes.length === 0 ? "sound" : "repairable";
}

test(`REC-18 REC-20 REC-21 REC-22 REC-29 mutated records of streams are refused by their place or sound (seed ${seed})`, () => {
  const tally: Record<string, number> = {};
  const wrong: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { what, record } = mutated(wholeStreams, seeded(seed + at));
    const found = verdict(record);
    if (/^(?:threw|refused)/.test(found)) wrong.push(`PULSE_SEED=${seed + at} ${what}: ${found}`);
    else tally[found] = (tally[found] ?? 0) + 1;
  }
  console.info(`mutated records of streams: ${count} from seed ${seed}: ${JSON.stringify(tally)}`);
  expect(wrong).toStrictEqual([]);
  expect(tally["PULSE_CORRUPT"]).toBeGreaterThan(count / 2);
  expect(tally["sound"]).toBeGreaterThan(count / 100);
});
