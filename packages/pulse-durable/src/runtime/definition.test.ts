import { createCodecs, encrypt, keyRing, wrapCodecs } from "@pulse-ts/codec";
import { aspect, graph, key, mount, node, retry, timeout, type } from "@pulse-ts/core";
import type { AnyGraph } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { memoryStore } from "../memory-store.ts";
import type { RunOptions } from "../options.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { numberKey, start } from "../testing/graphs.ts";
import { worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };
const made = numberKey("made");
const other = numberKey("other");
const step = numberKey("step");

interface Variant {
  readonly id?: string;
  readonly name?: string;
  readonly limit?: number;
  readonly delay?: number;
  readonly step?: number;
  readonly body?: (start: number) => number;
  readonly outer?: boolean;
  readonly extra?: boolean;
  readonly schema?: z.ZodType<number>;
}

function variant({ id = "add", name = "adding", limit = 2, delay = 0, body = (n) => n + 1, ...rest }: Variant = {}) {
  const out = rest.schema === undefined ? made : key("made", rest.schema);
  const child = graph("child", {
    inputs: [out, step],
    outputs: [other],
    nodes: [
      node("more", { requires: [out, step], provides: [other] }, (values) => ({
        other: values.made + values.step,
      })),
    ],
  });
  return graph(name, {
    inputs: [start],
    outputs: [other],
    aspects: rest.outer === true ? [retry({ limit: 5 })] : [],
    nodes: [
      node(
        id,
        { requires: [start], provides: [out], aspects: [retry({ limit, delay }), timeout(1_000)] },
        ({ start }) => ({
          made: body(start),
        }),
      ),
      mount("child", child, { fix: { step: rest.step ?? 1 } }),
      ...(rest.extra === true ? [node("extra", {}, () => {})] : []),
    ],
  }) as AnyGraph;
}

/** What a resume of a run of `variant()` with another graph is refused with. */
async function differences(graphOf: AnyGraph, options: Partial<RunOptions> = {}, started: Partial<RunOptions> = {}) {
  const memory = memoryStore();
  await worker(memory).pulse.run(variant(), { start: 1 }, { ...call, ...started });
  const later = worker(memory);
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    later.pulse.resume(graphOf, { start: 1 }, { ...call, ...options }),
  );
  expect([later.store.saves, later.store.closed]).toEqual([[], 1]);
  expect(error.details).toMatchObject({ runId: "run", next: "same-definition" });
  return error.details;
}

test("D7 DUR-4 a renamed node is refused on resume by name, and the old definition still resumes", async () => {
  const { what, differences: lines } = await differences(variant({ id: "renamed" }));
  expect(what).toBe("definition");
  expect(lines).toContain("removed: node add");
  expect(lines).toContain("added: node renamed");
  const memory = memoryStore();
  await worker(memory).pulse.run(variant(), { start: 1 }, call);
  expect((await worker(memory).pulse.resume(variant(), { start: 1 }, call)).values).toEqual({ other: 3 });
});

test("DUR-4 another version is refused with what was expected and found", async () => {
  expect(await differences(variant(), { version: "2" })).toMatchObject({ what: "version", expected: "1", found: "2" });
});

test("DUR-5 the definition covers graph ids, nodes, types, codecs, wiring, fixed values and retries", async () => {
  const changes: readonly (readonly [Variant, string])[] = [
    [{ name: "named" }, "removed: graph adding"],
    [{ extra: true }, "added: node extra"],
    [{ limit: 3 }, "changed: node add"],
    [{ outer: true }, "changed: mount child"],
    [{ step: 2 }, "changed: mount child"],
    [{ schema: z.number() }, "changed: node add"],
  ];
  for (const [change, line] of changes) {
    const { what, differences: lines } = await differences(variant(change));
    expect(what).toBe("definition");
    expect(lines).toContain(line);
  }
});

test("DUR-5 the definition does not cover what functions do, delays and timeouts", async () => {
  const memory = memoryStore();
  await worker(memory).pulse.run(variant(), { start: 1 }, call);
  const same = variant({ body: (n) => n * 2, delay: 5 });
  expect((await worker(memory).pulse.resume(same, { start: 1 }, call)).values).toEqual({ other: 3 });
});

test("DUR-5 CODEC-5 a changed schema is another definition", async () => {
  const build = (schema: z.ZodType) => {
    const page = key("page", schema);
    return graph("pages", {
      outputs: [page],
      nodes: [node("load", { provides: [page] }, () => ({ page: { title: "t" } }))],
    });
  };
  const memory = memoryStore();
  await worker(memory).pulse.run(build(z.object({ title: z.string() })), {}, call);
  await worker(memory).pulse.resume(build(z.object({ title: z.string() })), {}, call);
  const changed = build(z.object({ title: z.string(), text: z.string().optional() }));
  const error = await rejectionOf("PULSE_INCOMPATIBLE", worker(memory).pulse.resume(changed, {}, call));
  expect(error.details).toMatchObject({
    what: "definition",
    differences: ["changed: node load", expect.stringMatching(/^codec of key "page": recorded zod:/)],
  });
});

test("DUR-29 CKPT-20 the execution's own retries count, its observers, signal, concurrency, name and times do not", async () => {
  const { what } = await differences(variant(), { aspects: [retry({ limit: 2 })] });
  expect(what).toBe("definition");
  // A custom aspect outside moves the place of every retry.
  expect((await differences(variant(), { aspects: [aspect("moves", (_context, next) => next())] })).what).toBe(
    "definition",
  );
  expect((await differences(variant(), { aspects: false })).what).toBe("definition");
  const memory = memoryStore();
  await worker(memory).pulse.run(variant(), { start: 1 }, call);
  const free = {
    ...call,
    observers: [() => {}],
    signal: new AbortController().signal,
    concurrency: 1,
    name: "named",
    timeout: 60_000,
    deadline: Date.now() + 60_000,
    drainTimeout: 1,
  };
  expect((await worker(memory).pulse.resume(variant(), { start: 1 }, free)).values).toEqual({ other: 3 });
});

test("DUR-22 fixed values are part of the definition; in memory any value is fine", async () => {
  const { differences: lines } = await differences(variant({ step: 9 }));
  expect(lines).toEqual(["changed: mount child"]);
});

test("DUR-22 a fixed value that cannot be encoded is refused before any acquire, by mount and key, with advice", async () => {
  const call_ = key("call", type<() => number>("call"));
  const child = graph("child", {
    inputs: [call_],
    outputs: [made],
    nodes: [node("call", { requires: [call_], provides: [made] }, ({ call }) => ({ made: call() }))],
  });
  const outer = graph("outer", { outputs: [made], nodes: [mount("fixing", child, { fix: { call: () => 1 } })] });
  const { pulse, store } = worker();
  const error = await rejectionOf("PULSE_INVALID", pulse.run(outer, {}, call));
  expect(error.details.problems).toMatchObject([{ code: "PULSE_DEFINITION_INVALID", path: "outer/fixing" }]);
  expect(error.message).toMatch(/mount "fixing".*"call".*close over it/s);
  expect(store.acquired).toBe(0);
});

test("CODEC-15 a type that no codec can serve is refused when the graph is prepared, by key", async () => {
  const oneWay = key(
    "oneWay",
    z.string().transform((text) => text.length),
  );
  const bad = graph("bad", { outputs: [oneWay], nodes: [node("make", { provides: [oneWay] }, () => ({ oneWay: 1 }))] });
  const { pulse, store } = worker();
  const error = await rejectionOf("PULSE_INVALID", pulse.run(bad, {}, call));
  expect(error.details.problems).toMatchObject([{ path: "bad/make", ends: ["oneWay"] }]);
  expect(store.acquired).toBe(0);
});

test("REC-15 names that no record can hold are refused when the graph is prepared", async () => {
  const bad = graph("bad", { nodes: [node("a\uD800", {}, () => {})] });
  const { pulse, store } = worker();
  await rejectionOf("PULSE_INVALID", pulse.run(bad, {}, call));
  expect(store.acquired).toBe(0);
});

test("DUR-23 a run with overrides is resumed with the same ones only, and one without never with some", async () => {
  const replaced = { nodes: { add: () => ({ made: 10 }) }, keys: { "child/other": 5 } };
  const { differences: added } = await differences(variant(), { overrides: replaced });
  expect(added).toEqual(expect.arrayContaining(["added: replaced node add", "added: replaced key child/other"]));
  const { differences: removed } = await differences(variant(), {}, { overrides: replaced });
  expect(removed).toEqual(expect.arrayContaining(["removed: replaced node add", "removed: replaced key child/other"]));
  const { differences: changed } = await differences(
    variant(),
    { overrides: { keys: { "child/other": 6 } } },
    { overrides: { keys: { "child/other": 5 } } },
  );
  expect(changed).toEqual(["changed: replaced key child/other"]);
});

test("DUR-23 CORE-50 the provider of a replaced key is recorded as completed, and a resume with it runs nothing", async () => {
  const memory = memoryStore();
  const overrides = { keys: { made: 100 } };
  const called: number[] = [];
  const graphOf = variant({ body: (n) => called.push(n) });
  const first = await worker(memory).pulse.run(graphOf, { start: 1 }, { ...call, overrides });
  expect(first.values).toEqual({ other: 101 });
  const later = worker(memory);
  expect((await later.pulse.resume(graphOf, { start: 1 }, { ...call, overrides })).values).toEqual({ other: 101 });
  expect((await later.pulse.inspect("run")).root.nodes).toMatchObject([{ nodeId: "add", state: "completed" }, {}]);
  expect(called).toEqual([]);
});

test("DUR-4 DUR-5 of another codec a mismatch tells the key, what is recorded and what is now, with short hashes", async () => {
  const a = key("a", z.object({ n: z.number() }));
  const one = node("one", { provides: [a] }, () => ({ a: { n: 1 } }));
  const memory = memoryStore();
  await worker(memory).pulse.run(graph("pair", { outputs: [a], nodes: [one] }), {}, call);
  const ring = keyRing({ keys: { k1: new Uint8Array(32).fill(7) } });
  const codecs = wrapCodecs(createCodecs(), (codec) => encrypt(codec, ring));
  const resumed = worker(memory, { codecs }).pulse.resume(graph("pair", { outputs: [a], nodes: [one] }), {}, call);
  const error = await rejectionOf("PULSE_INCOMPATIBLE", resumed);
  const codec = (error.details.differences ?? []).filter((line) => line.startsWith("codec "));
  expect(codec).toHaveLength(1);
  expect(codec[0]).toMatch(
    /^codec of key "a": recorded zod:[0-9a-f]{8}… version \S+, now aes-256-gcm\(zod:[0-9a-f]{8}…\) version \S+$/,
  );
  expect(error.details).toMatchObject({ what: "definition" });
  expect(error.details.differences).toContain("changed: node one");
  expect(error.message).toContain(codec[0]);
  expect(error.message).not.toMatch(/[0-9a-f]{16}/);
});
