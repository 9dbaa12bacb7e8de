import { readdirSync, readFileSync } from "node:fs";
import { isPulseError } from "@pulse-ts/core";
import type { AnyGraph } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import { readDocument } from "../record/document-read.ts";
import type { RunRecord } from "../record/format.ts";
import type { Store } from "../store.ts";
import { mutationBench, refusals } from "../testing/mutation-bench.ts";
import { mutated } from "../testing/mutations.ts";
import { olderGraph } from "../testing/older-graph.ts";
import { seeded, seedOf } from "../testing/random.ts";

/** How many mutated records; `PULSE_MUTATIONS=20000` is for people. */
const count = Number(process.env["PULSE_MUTATIONS"] ?? 2_000);
const seed = seedOf(process.env, 40_001);

interface Base {
  readonly name: string;
  readonly record: RunRecord;
  readonly inputs: { readonly start: number; readonly hint?: number };
}

/** Every record that a run has on its way, with a retried mount or without, and the documents of format 1. */
async function bases(): Promise<readonly Base[]> {
  const found: Base[] = [];
  const inputs = { start: 1 };
  let flaky = 0;
  const graphs: Readonly<Record<string, () => AnyGraph>> = {
    plain: () => olderGraph(() => {}),
    flaky: () => olderGraph(() => {}, failingOnce),
    failing: () =>
      olderGraph(
        () => {},
        (path) => path === "try",
      ),
  };
  function failingOnce(path: string, attempt: number): boolean {
    if (path === "nested/finish") return (flaky += 1) === 1;
    return path === "try" ? attempt < 3 : path === "nested/leaf/weigh" && attempt === 1;
  }
  for (const [name, graph] of Object.entries(graphs)) {
    const memory = memoryStore();
    const store: Store = {
      async acquire(runId, options) {
        const session = await memory.acquire(runId, options);
        const save: typeof session.save = async (...args) => {
          await session.save(...args);
          found.push({ name: `${name} ${found.length}`, record: await memory.catalog.read(runId), inputs });
        };
        return { load: session.load.bind(session), close: session.close.bind(session), save };
      },
    };
    await durable({ store })
      .run(graph() as ReturnType<typeof olderGraph>, inputs, { runId: "run", version: "1" })
      .catch((error: unknown) => expect(isPulseError(error, "PULSE_RUN_FAILED")).toBe(true));
  }
  const folder = new URL("../../fixtures/format-1/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const record = readDocument(new Uint8Array(readFileSync(new URL(file, folder))));
    found.push({ name: file, record, inputs: file === "skipped.json" ? { start: 2, hint: 7 } : inputs });
  }
  return found;
}

test(`REC-16 REC-17 REC-18 REC-28 mutated records are refused by their place or end right (seed ${seed})`, async () => {
  const all = await bases();
  const resume = mutationBench((called) => olderGraph(called));
  // How each ends as it is. The runtime takes over what it loads, so it is given a copy.
  const right = new Map<Base, string>();
  for (const base of all) right.set(base, await resume(structuredClone(base.record), base));
  const ends = ['completed with {"total":242}', 'completed with {"total":324}', "failed at try"];
  expect([...new Set(right.values())].toSorted()).toStrictEqual(ends);

  const tally: Record<string, number> = {};
  const wrong: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const random = seeded(seed + at);
    const base = random.pick(all);
    const { what, record } = mutated(base.record, random);
    const end = await resume(record, base);
    const kind = end === right.get(base) ? "right" : refusals.includes(end) ? end : "wrong";
    tally[kind] = (tally[kind] ?? 0) + 1;
    if (kind === "wrong") wrong.push(`PULSE_SEED=${seed + at} ${base.name}: ${what}: ${end}`);
  }
  console.info(`mutated records: ${count} from seed ${seed}: ${JSON.stringify(tally)}`);
  expect(wrong).toStrictEqual([]);
  expect(tally["PULSE_CORRUPT"]).toBeGreaterThan(count / 3);
  expect(tally["right"]).toBeGreaterThan(count / 50);
}, 600_000);
