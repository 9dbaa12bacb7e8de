import { isDeepStrictEqual } from "node:util";
import { graph, key, mount, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import type { RunRecord } from "../record/format.ts";
import type { Store } from "../store.ts";
import { mutationBench, refusals, stoppedLate } from "../testing/mutation-bench.ts";
import { mutated } from "../testing/mutations.ts";
import { seeded, seedOf } from "../testing/random.ts";

/** How many mutated records; `PULSE_MUTATIONS=20000` is for people. */
const count = Number(process.env["PULSE_MUTATIONS"] ?? 2_000);
const seed = seedOf(process.env, 40_003);
const call = { runId: "run", version: "1" };

const number = type<number>("number");
const rows = stream("rows", number, { capacity: 2, position: number });
const odd = stream("odd", number, { capacity: 4 });
const total = key("total", number);
const last = key("last", number);

/** A writer in a mount, a handler with a state that sends on, and two readers, one of which leaves early. */
function subject(called: (path: string) => void) {
  const write = node("write", { provides: [rows], resumable: true }, async (_, { open, path }) => {
    called(path);
    const out = await open(rows);
    for (let at = (out.position() ?? 0) + 1; at <= 4; at += 1) await out.sendAt(at, at);
  });
  const child = graph("child", { outputs: [rows], nodes: [write] });
  const handle = node(
    "handle",
    { requires: [rows], provides: [odd, total], resumable: true },
    async (values, { open, path }) => {
      called(path);
      await open(odd);
      const settled = await handleMessages(
        values.rows,
        ({ value }, { attempt, state, send, set }) => {
          if (value === 2 && attempt === 1) throw new Error("fails first");
          const sum = (state.get() ?? 0) + value;
          state.set(sum);
          if (value % 2 === 1) send(odd, value);
          if (value === 4) set(total, sum);
        },
        { limit: 2, state: number },
      );
      return { total: settled };
    },
  );
  const read = node("read", { requires: [odd], provides: [last] }, async (values, { path }) => {
    called(path);
    for await (const { ack } of values.odd) await ack();
    return { last: 1 };
  });
  const leave = node("leave", { requires: [rows] }, async (values, { path }) => {
    called(path);
    await (await values.rows.receive())?.ack();
    await values.rows.stop();
  });
  return graph("streams", { outputs: [total, last], nodes: [mount("child", child), handle, read, leave] });
}

/** Every record that a run has on its way. */
async function bases(): Promise<readonly { readonly record: RunRecord; readonly inputs: object }[]> {
  const found: RunRecord[] = [];
  const memory = memoryStore();
  const store: Store = {
    async acquire(runId, options) {
      const session = await memory.acquire(runId, options);
      const save: typeof session.save = async (...args) => {
        await session.save(...args);
        found.push(await memory.catalog.read(runId));
      };
      return { load: session.load.bind(session), close: session.close.bind(session), save };
    },
  };
  await durable({ store }).run(
    subject(() => {}),
    {},
    call,
  );
  return found.map((record) => ({ record, inputs: {} }));
}

/** Messages or contributions that have changed places are another whole record, and another run. */
function hasOtherValues(record: RunRecord, base: RunRecord): boolean {
  return (["messages", "managed"] as const).some((name) => !isDeepStrictEqual(record[name], base[name]));
}

test(`REC-20 REC-21 REC-22 REC-29 mutated records of runs with streams are refused by their place or end (seed ${seed})`, async () => {
  const all = await bases();
  const resume = mutationBench(subject);
  const right = 'completed with {"total":10,"last":1}';
  for (const base of all) expect(await resume(structuredClone(base.record), base)).toBe(right);
  const tally: Record<string, number> = {};
  const wrong: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const random = seeded(seed + at);
    const base = random.pick(all);
    const { what, record } = mutated(base.record, random);
    const another = hasOtherValues(record, base.record);
    const end = await resume(record, base);
    const ended = end === right || (another && end.startsWith("completed with "));
    const kind = ended ? "right" : refusals.includes(end) || end === stoppedLate ? end : "wrong";
    tally[kind] = (tally[kind] ?? 0) + 1;
    if (kind === "wrong") wrong.push(`PULSE_SEED=${seed + at} ${what}: ${end}`);
  }
  console.info(`mutated records of runs with streams: ${count} from seed ${seed}: ${JSON.stringify(tally)}`);
  expect(wrong).toStrictEqual([]);
  expect(tally["PULSE_CORRUPT"]).toBeGreaterThan(count / 2);
  expect(tally["right"]).toBeGreaterThan(count / 50);
}, 600_000);
