import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import type { RecordEntry, RunRecord } from "../record/format.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { olderGraph } from "../testing/older-graph.ts";
import { ready, rowsOf } from "../testing/whole-streams.ts";
import { worker } from "../testing/worker.ts";

interface Fixture {
  readonly name: string;
  readonly inputs: { readonly start: number; readonly hint?: number };
  /** The bodies that a resume calls, in any order, each as often as it is tried. */
  readonly calls: readonly string[];
}

const inside = ["nested/leaf/grow", "nested/leaf/weigh", "nested/leaf/weigh", "nested/finish", "sum"];
const running: readonly Fixture[] = [
  { name: "running", inputs: { start: 1 }, calls: ["try", "try", "try", ...inside] },
  { name: "retried", inputs: { start: 1 }, calls: ["try", "try", ...inside] },
  { name: "skipped", inputs: { start: 2, hint: 7 }, calls: ["try", "try", ...inside] },
  { name: "nested", inputs: { start: 1 }, calls: ["nested/leaf/weigh", "nested/finish", "sum"] },
  { name: "bound", inputs: { start: 1 }, calls: ["nested/finish", "sum"] },
  { name: "void", inputs: { start: 1 }, calls: ["nested/leaf/weigh", "nested/finish", "sum"] },
];

const documentOf = (name: string): string =>
  readFileSync(new URL(`../../fixtures/format-1/${name}.json`, import.meta.url), "utf8");
const callOf = (name: string) => ({ runId: `format-1-${name}`, version: "1" });
const quiet = (): void => {};

/** A store with the run of a document, and durable execution on it. */
async function imported(name: string, change: (text: string) => string = (text) => text) {
  const store = memoryStore();
  const pulse = durable({ store });
  await pulse.import(change(documentOf(name)));
  const read = (): Promise<RunRecord> => store.catalog.read(`format-1-${name}`);
  return { store, pulse, read };
}

const undisturbed = (inputs: Fixture["inputs"]): Promise<unknown> =>
  durable({ store: memoryStore() }).run(olderGraph(quiet), inputs, callOf("undisturbed"));

test.each(running)(
  "REC-28 REC-3 $name is resumed where it was, ends as if undisturbed, and is format 2 after its first save",
  async ({ name, inputs, calls }) => {
    const { store, read } = await imported(name);
    const before = await read();
    expect(before.header.format).toBe(1);
    const called: string[] = [];
    const process = worker(store);
    expect(
      await process.pulse.resume(
        olderGraph((path) => called.push(path)),
        inputs,
        callOf(name),
      ),
    ).toEqual(await undisturbed(inputs));
    expect(called.toSorted()).toStrictEqual(calls.toSorted());

    const after = await read();
    expect(after.header).toMatchObject({ format: 2, resumes: 1, status: "completed" });
    // The first save upgrades, and no other writes a scope again.
    const [first, ...rest] = process.store.saves.map(({ changes }) => changes.map(({ key }) => key));
    const older = [...before.scopes.keys()].map((id) => `scope/${id}`);
    const missing = name === "bound" ? [] : older;
    expect(first).toStrictEqual(expect.arrayContaining(["header", ...missing]));
    expect(rest.flat().filter((key) => older.includes(key))).toStrictEqual([]);
    for (const [id, scope] of before.scopes) {
      expect(after.scopes.get(id)).toStrictEqual({ ...scope, bindings: false });
    }
    const added = [...after.scopes].filter(([id]) => !before.scopes.has(id));
    expect(added.filter(([, { bindings }]) => bindings !== true)).toStrictEqual([]);
  },
);

test.each(running)("REC-28 DUR-8 $name dies at any save of its resume and goes on", async ({ name, inputs }) => {
  const expected = await undisturbed(inputs);
  for (const when of ["before", "after"] as const) {
    for (let save = 2; ; save += 1) {
      const { store, read } = await imported(name);
      const dying = worker(store);
      let ended = false;
      const run = dying.pulse.resume(olderGraph(quiet), inputs, callOf(name)).then(() => (ended = true), quiet);
      await Promise.race([dying.diesAt(save, when), run]);
      if (ended) break;
      expect((await read()).header.format).toBe(save === 2 && when === "before" ? 1 : 2);
      expect(await durable({ store }).resume(olderGraph(quiet), inputs, callOf(name))).toEqual(expected);
    }
  }
});

test("REC-28 DUR-3 a completed and a failed run of format 1 tell their end, run nothing and stay as they are", async () => {
  const called: string[] = [];
  const graph = olderGraph((path) => called.push(path));
  const completed = await imported("completed");
  const before = await completed.read();
  expect(await completed.pulse.resume(graph, { start: 1 }, callOf("completed"))).toEqual(
    await undisturbed({ start: 1 }),
  );
  expect(await completed.read()).toStrictEqual(before);
  const failed = await imported("failed");
  const error = await rejectionOf("PULSE_RUN_FAILED", failed.pulse.resume(graph, { start: 1 }, callOf("failed")));
  expect(error.details.path).toBe("try");
  expect((await failed.read()).header.format).toBe(1);
  expect(called).toStrictEqual([]);
});

test("REC-28 REC-26 an imported run of format 1 is exported as it was", async () => {
  for (const { name } of running) {
    const { pulse } = await imported(name);
    const json = JSON.parse(new TextDecoder().decode(await pulse.export(`format-1-${name}`))) as object;
    expect(json).toStrictEqual({ ...(JSON.parse(documentOf(name)) as object), revision: 1 });
  }
});

test("REC-3 REC-28 a scope of format 1 is not resumed with other input values than it was opened with", async () => {
  const { pulse, read } = await imported("nested", (text) => {
    const json = JSON.parse(text) as { readonly scopes: Record<string, { inputs: string }> };
    json.scopes["05".repeat(16)] = { ...json.scopes["05".repeat(16)], inputs: "0".repeat(64) };
    return JSON.stringify(json);
  });
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    pulse.resume(olderGraph(quiet), { start: 1 }, callOf("nested")),
  );
  expect(error.details).toMatchObject({ what: "scope", path: "nested", key: "given, scale" });
  expect((await read()).header).toMatchObject({ format: 1, revision: 1 });
});

test("REC-28 a format 1 with later fields is refused, by import and by resume, and not changed", async () => {
  const [root, source] = ["0".repeat(32), "7".repeat(32)];
  const descriptor = { name: "doubled", codec: "number", codecVersion: "1", state: "stream" };
  const stream = { ...descriptor, stream: { sourceId: source, attempt: "01".repeat(16), capacity: 1 } };
  type Json = Record<string, Record<string, Record<string, Record<string, { outputs: unknown[] }>>>>;
  const damages: readonly (readonly [(json: Json) => unknown, string])[] = [
    [(json) => (json["streams"] = {}), "streams is no field of format 1"],
    [(json) => (json["messages"] = {}), "messages is no field of format 1"],
    [(json) => (json["tries"] = {}), "tries is no field of format 1"],
    [(json) => (json["managed"] = {}), "managed is no field of format 1"],
    [(json) => Object.assign(json["scopes"]?.["05".repeat(16)] ?? {}, { bindings: true }), "bindings: is true"],
    [
      (json) => Object.assign(json["scopes"]?.[root]?.["nodes"]?.["double"] ?? {}, { outputs: [stream] }),
      'outputs "doubled": is a stream, which format 1 does not have',
    ],
  ];
  for (const [damage, place] of damages) {
    const json = JSON.parse(documentOf("nested")) as Json;
    damage(json);
    const store = memoryStore();
    const error = await rejectionOf("PULSE_CORRUPT", durable({ store }).import(JSON.stringify(json)));
    expect([error.details.where, ...(error.details.problems ?? [])].join("\n")).toContain(place);
    expect(await store.catalog.count()).toBe(0);
  }

  const later: readonly (readonly [string, RecordEntry])[] = [
    [`stream/${source}/g`, { ...rowsOf("g"), sourceId: source }],
    [`message/${source}/1`, { value: ready("doubled", "2") }],
    [`managed/${root}/${root}/n`, { values: [] }],
  ];
  for (const [key, entry] of later) {
    const { store, pulse, read } = await imported("nested");
    const session = await store.acquire("format-1-nested");
    const record = await session.load();
    const next = { ...record, header: { ...record.header, revision: 2 } };
    await session.save(next, 1, [{ kind: "put", key, entry }]);
    await session.close();
    const error = await rejectionOf("PULSE_CORRUPT", pulse.resume(olderGraph(quiet), { start: 1 }, callOf("nested")));
    expect(error.details.where).toBe(key);
    expect((await read()).header.revision).toBe(2);
  }
});

test("REC-28 a record of format 2 has all fields of its own", async () => {
  const { pulse } = await imported("completed");
  const json = JSON.parse(documentOf("nested")) as object;
  const later = { ...json, format: 2, streams: {}, messages: {}, tries: {}, managed: {} };
  const error = await rejectionOf("PULSE_CORRUPT", pulse.import(JSON.stringify(later)));
  expect(error.details.where).toBe(`scope/${"0".repeat(32)}`);
  expect(error.details.problems?.[0]).toContain("bindings is missing");
});
