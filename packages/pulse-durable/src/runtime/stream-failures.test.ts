import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import { stream } from "@pulse-ts/core/streams";
import type { StreamReader } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { streamKey } from "../record/entry-key.ts";
import type { RunRecord, StreamEntry } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { Store } from "../store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import type { SeenSave } from "../testing/faulty-store.ts";
import { deferred, lifeUntil, worker } from "../testing/worker.ts";

const number = type<number>("number");
const lines = stream("lines", number, { capacity: 4, position: number });
const log = stream("log", number, { capacity: 4 });
const outLines = stream("outLines", number, { capacity: 4 });
const again = stream("again", number, { capacity: 4 });
const third = stream("third", number, { capacity: 4 });
const sum = key("sum", number);
const call = { runId: "run", version: "1" };

async function sumOf(reader: StreamReader<number>): Promise<number> {
  let all = 0;
  for await (const { value, ack } of reader) {
    all += value;
    await ack();
  }
  return all;
}
const has = (save: SeenSave, found: (entry: object) => boolean): boolean =>
  save.changes.some((change) => change.kind === "put" && found(change.entry));
const isEnd = (end: string) => (entry: object) => "end" in entry && entry.end === end;
const nodeCalled = (record: RunRecord, id: string) => [...record.nodes.values()].find(({ nodeId }) => nodeId === id);

/** `again` is `lines` of a child, passed through a mount whose own child is a mount that passes it on. */
function passing(write: (send: (value: number) => Promise<boolean>, position: number) => Promise<void>) {
  const writes = node("write", { provides: [lines], resumable: true }, async (_, { open }) => {
    const out = await open(lines);
    await write((value) => out.sendAt(value, value), out.position() ?? 0);
  });
  const child = graph("child", { outputs: [lines], nodes: [writes] });
  const inner = graph("inner", { inputs: [again], outputs: [again], nodes: [] });
  const passes = graph("passes", {
    inputs: [outLines],
    outputs: [again],
    nodes: [mount("deep", inner, { in: { again: outLines }, out: { again } })],
  });
  return [
    mount("child", child, { out: { lines: outLines } }),
    mount("pass", passes, { in: { outLines }, out: { again: third } }),
  ] as const;
}

test("STR-35 STR-12 CKPT-26 a mount that passes a stream on is confirmed while the source writes, and is not run again", async () => {
  const memory = memoryStore();
  const passed = deferred();
  const of = graph("g", {
    outputs: [sum],
    nodes: [
      ...passing(async (send, position) => {
        if (position === 0) await send(1);
        await passed.promise;
        for (const value of [2, 3]) await send(value);
      }),
      node("read", { requires: [third], provides: [sum] }, async (values) => ({ sum: await sumOf(values.third) })),
    ],
  });
  await lifeUntil(memory, of, call, (save) =>
    has(save, (entry) => "nodeId" in entry && entry.nodeId === "pass" && "outputs" in entry),
  );
  const record = await memory.catalog.read("run");
  expect(nodeCalled(record, "pass")?.outputs).toMatchObject([{ name: "third", state: "stream" }]);
  expect(nodeCalled(record, "pass")?.outputs[0]).not.toHaveProperty("stream.end");
  passed.resolve();
  const later = worker(memory);
  const resumed = await later.pulse.resume(of, {}, { ...call, observers: [later.see] });
  // What the reader acknowledged before the crash is not given to it again.
  expect([5, 6]).toContain(resumed.values.sum);
  const told = later.events.flatMap((event) => ("path" in event && event.path === "pass" ? [event.kind] : []));
  expect(told).toEqual(["node-finished"]);
});

test("STR-27 STR-12 CKPT-13 a failed source under two further names is a failed end after a crash, and the retry above the writer goes on", async () => {
  const memory = memoryStore();
  const writes: number[] = [];
  const seen: string[] = [];
  const passed = deferred();
  const see = ({ kind, path }: { readonly kind: string; readonly path?: string }): void => {
    if (kind === "node-finished" && path === "try/pass") passed.resolve();
  };
  const inTry = graph("inTry", {
    outputs: [sum],
    nodes: [
      ...passing(async (send, position) => {
        writes.push(position);
        await send(1);
        await passed.promise;
        if (writes.length === 1) throw new Error("the first try fails");
        await send(2);
      }),
      node("read", { requires: [third], provides: [sum] }, async (values) => {
        try {
          return { sum: await sumOf(values.third) };
        } catch (error) {
          seen.push((error as { readonly code: string }).code);
          throw error;
        }
      }),
    ],
  });
  const of = graph("g", { outputs: [sum], nodes: [mount("try", inTry, { aspects: [retry({ limit: 2 })] })] });
  await lifeUntil(memory, of, { ...call, observers: [see] }, (save) => has(save, isEnd("failed")));
  const before = await memory.catalog.read("run");
  expect(nodeCalled(before, "pass")).toBeDefined();
  expect([...before.streams.values()].map(({ end }) => end)).toEqual(["failed"]);
  const later = worker(memory);
  const outcome = await later.pulse.resume(of, {}, { ...call, observers: [later.see] });
  expect(outcome.values).toEqual({ sum: 3 });
  // The second try has a stream of its own, from its beginning.
  expect(writes).toEqual([0, 0]);
  expect(new Set(seen)).toEqual(new Set(["PULSE_STREAM_FAILED"]));
  const ends = [...(await memory.catalog.read("run")).streams.values()];
  expect(ends.map(({ end, generation }) => [end, generation])).toEqual([
    ["failed", 1],
    ["completed", 1],
  ]);
});

/** A run whose writer has two open streams, one of which an older package has failed. */
async function halfFailed() {
  const memory = memoryStore();
  let bodies = 0;
  const write = node("write", { provides: [lines, log], resumable: true }, async (_, { open }) => {
    bodies += 1;
    const [out, other] = [await open(lines), await open(log)];
    await out.send(1);
    await other.send(1);
  });
  const read = node("read", { requires: [lines, log], provides: [sum] }, async (values) => ({
    sum: (await sumOf(values.lines)) + (await sumOf(values.log)),
  }));
  const of = graph("g", { outputs: [sum], nodes: [write, read] });
  await lifeUntil(memory, of, call, (save) =>
    has(save, (entry) => "key" in entry && entry.key === "log" && "lastSequence" in entry && entry.lastSequence === 1),
  );
  await failOne(memory);
  const record = await memory.catalog.read("run");
  return { memory, of, record, bodies: () => bodies };
}

async function failOne(memory: Store): Promise<void> {
  const session = await memory.acquire("run");
  const draft = liveRecord(await session.load()).draft();
  const entry = [...draft.record.streams.values()].find((each) => each.key === "lines") as StreamEntry;
  draft.add([{ kind: "put", key: streamKey(entry.sourceId, entry.group), entry: { ...entry, end: "failed" } }]);
  await session.save(draft.record, draft.record.header.revision - 1, draft.changes());
  await session.close();
}

test("STR-26 STR-50 a resume fails the other ends and their root in one save, before anything runs, and adds nothing", async () => {
  const { memory, of, record, bodies } = await halfFailed();
  const { pulse, store } = worker(memory);
  const error = await rejectionOf("PULSE_RUN_FAILED", pulse.resume(of, {}, call));
  expect(error.details).toMatchObject({ path: "write", next: "new-run-id" });
  expect([store.saves.length, bodies()]).toEqual([1, 1]);
  const after = await memory.catalog.read("run");
  expect([...after.streams.values()].map(({ end, generation }) => [end, generation])).toEqual([
    ["failed", 1],
    ["failed", 1],
  ]);
  expect([...after.attempts].map(([id, { nodeId, state }]) => [id, nodeId, state])).toEqual(
    [...record.attempts].map(([id, { nodeId, state }]) => [id, nodeId, nodeId === "write" ? "failed" : state]),
  );
  // Once failed it is as any failed run: nothing more is saved.
  const later = worker(memory);
  await rejectionOf("PULSE_RUN_FAILED", later.pulse.resume(of, {}, call));
  expect(later.store.saves).toEqual([]);
});

test("STR-26 a save of these ends that errs stops the resume, and the next load decides", async () => {
  for (const when of ["before", "after"] as const) {
    const { memory, of, record, bodies } = await halfFailed();
    const torn = worker(memory);
    torn.store.faults[when] = () => {
      throw new Error("the disk is full");
    };
    const error = await rejectionOf("PULSE_STORE", torn.pulse.resume(of, {}, call));
    expect(error.details).toMatchObject({ runId: "run" });
    expect(torn.store.closed).toBe(1);
    const written = when === "after" ? 1 : 0;
    expect((await memory.catalog.read("run")).header.revision).toBe(record.header.revision + written);
    const later = worker(memory);
    await rejectionOf("PULSE_RUN_FAILED", later.pulse.resume(of, {}, call));
    expect([later.store.saves.length, bodies()]).toEqual([1 - written, 1]);
  }
});
