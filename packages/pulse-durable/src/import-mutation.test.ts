import { readdirSync, readFileSync } from "node:fs";
import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { memoryStore } from "./memory-store.ts";
import { olderGraph } from "./testing/older-graph.ts";
import { seeded, seedOf } from "./testing/random.ts";
import type { Random } from "./testing/random.ts";

/** How many mutated documents; `PULSE_MUTATIONS=20000` is for people. */
const count = Number(process.env["PULSE_MUTATIONS"] ?? 1_000);
const seed = seedOf(process.env, 70_001);
const callsMax = 60;

const mutators: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  dropRange(bytes, random) {
    const [from, to] = rangeOf(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  repeatRange(bytes, random) {
    const [from, to] = rangeOf(bytes, random);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  cutEnd: (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  addEnd: (bytes, random) => Buffer.concat([bytes, bytes.subarray(0, 1 + random.below(20))]),
  // The documents stand in lines: a field, or the end of an object.
  dropLine(bytes, random) {
    const lines = bytes.toString("latin1").split("\n");
    lines.splice(random.below(lines.length), 1);
    return Buffer.from(lines.join("\n"), "latin1");
  },
  repeatLine(bytes, random) {
    const lines = bytes.toString("latin1").split("\n");
    const at = random.below(lines.length);
    lines.splice(at, 0, lines[at] ?? "");
    return Buffer.from(lines.join("\n"), "latin1");
  },
  swapLines(bytes, random) {
    const lines = bytes.toString("latin1").split("\n");
    const [one, other] = [random.below(lines.length), random.below(lines.length)];
    [lines[one], lines[other]] = [lines[other] ?? "", lines[one] ?? ""];
    return Buffer.from(lines.join("\n"), "latin1");
  },
  otherDigit(bytes, random) {
    const copy = Buffer.from(bytes);
    const digits = [...copy.keys()].filter((at) => /[0-9a-f]/.test(String.fromCharCode(copy[at] ?? 0)));
    copy[random.pick(digits)] = random.pick([..."0123456789abcdef"]).charCodeAt(0);
    return copy;
  },
};

function rangeOf(bytes: Buffer, random: Random): readonly [number, number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + random.below(40))];
}

interface Base {
  readonly name: string;
  readonly document: Buffer;
  readonly inputs: { readonly start: number; readonly hint?: number };
}

/** The documents of format 1, and the same runs as they are after a resume. */
async function bases(): Promise<readonly Base[]> {
  const folder = new URL("../fixtures/format-1/", import.meta.url);
  const found: Base[] = [];
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
    const document = readFileSync(new URL(name, folder));
    const inputs = name === "skipped.json" ? { start: 2, hint: 7 } : { start: 1 };
    found.push({ name, document, inputs });
    const pulse = durable({ store: memoryStore() });
    const { runId } = await pulse.import(document);
    await pulse
      .resume(
        olderGraph(() => {}),
        inputs,
        { runId, version: "1" },
      )
      .catch(() => {});
    const json: unknown = JSON.parse(new TextDecoder().decode(await pulse.export(runId)));
    found.push({ name: `${name} resumed`, document: Buffer.from(JSON.stringify(json, undefined, 1)), inputs });
  }
  return found;
}

const refusals: readonly string[] = ["PULSE_CORRUPT", "PULSE_INCOMPATIBLE", "PULSE_NEWER_FORMAT"];

/** How a document ends that is imported and resumed, in a few words. */
async function endOf(document: Uint8Array, { inputs }: Base): Promise<string> {
  const store = memoryStore();
  const pulse = durable({ store });
  let calls = 0;
  const graph = olderGraph((path) => {
    if ((calls += 1) > callsMax) throw new Error(`${path} does not end`);
  });
  let runId: string | undefined;
  try {
    ({ runId } = await pulse.import(document));
    const { values } = await pulse.resume(graph, inputs, { runId, version: "1" });
    return JSON.stringify(values);
  } catch (error) {
    if (isPulseError(error, "PULSE_RUN_FAILED")) return `failed at ${error.details.path}`;
    if (!isPulseError(error) || !refusals.includes(error.code)) return `threw ${String(error)}`;
    if (isPulseError(error, "PULSE_CORRUPT") && error.details.where === "") return "refused without a place";
    // What was refused by the import is not there; what was refused by the resume is as it was imported.
    const revision =
      runId === undefined ? await store.catalog.count() : (await store.catalog.read(runId)).header.revision;
    return calls === 0 && revision === (runId === undefined ? 0 : 1) ? error.code : `${error.code} came late`;
  }
}

test(`REC-26 REC-28 mutated documents are refused by their place, or the run ends right (seed ${seed})`, async () => {
  const all = await bases();
  const right = new Map<Base, string>();
  for (const base of all) right.set(base, await endOf(base.document, base));
  expect([...new Set(right.values())].toSorted()).toStrictEqual(
    ["failed at try", '{"total":242}', '{"total":324}'].toSorted(),
  );
  const tally: Record<string, number> = {};
  const wrong: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const random = seeded(seed + at);
    const base = random.pick(all);
    const name = random.pick(Object.keys(mutators));
    const end = await endOf(mutators[name]?.(base.document, random) ?? base.document, base);
    const kind = end === right.get(base) ? "right" : refusals.includes(end) ? end : "wrong";
    tally[kind] = (tally[kind] ?? 0) + 1;
    if (kind === "wrong") wrong.push(`PULSE_SEED=${seed + at} ${base.name}: ${name}: ${end}`);
  }
  console.info(`mutated documents: ${count} from seed ${seed}: ${JSON.stringify(tally)}`);
  expect(wrong).toStrictEqual([]);
  expect(tally["PULSE_CORRUPT"]).toBeGreaterThan(count / 3);
  expect(tally["right"]).toBeGreaterThan(count / 100);
}, 600_000);
