import { expect, test } from "vitest";
import { aspect, execution, graph, mount, node, optional, retry, run, skipped, type } from "../index.ts";
import type { AnyKey, Execution } from "../index.ts";
import { key } from "../key.ts";
import { numberKey } from "../testing/keys.ts";
import { thrownBy } from "../testing/rejection.ts";
import { checkpointInputs, checkpointNodes, checkpointPorts } from "./index.ts";

const given = numberKey("given");
const limit = numberKey("limit");
const unused = numberKey("unused");
const a = numberKey("a");
const b = numberKey("b");
const idle = aspect("idle", (_context, next) => next());

const child = graph("child", {
  inputs: [given, limit, optional(unused)],
  outputs: [a, given],
  aspects: [retry({ limit: 4 })],
  nodes: [
    node(
      "inner",
      { requires: [given, optional(limit)], provides: [a], aspects: [idle, retry({ limit: 2 })] },
      (values) => ({
        a: values.given,
      }),
    ),
  ],
});
const outer = graph("outer", {
  inputs: [given, optional(unused)],
  outputs: [a, b, given],
  nodes: [
    mount("m", child, {
      in: { given, unused },
      fix: { limit: 10 },
      out: { a, given: b },
      aspects: [retry({ limit: 3 })],
    }),
    node("silent", {}, () => {}),
  ],
});

const names = (keys: readonly AnyKey[]): readonly string[] => keys.map(({ name }) => name);

test("CKPT-27 every node is told with path, requires, provides and types, children's too", () => {
  const nodes = checkpointNodes(outer);
  expect(
    nodes.map(({ kind, id, path, graph: name, graphPath, requires, provides }) => ({
      kind,
      id,
      path,
      graph: name,
      graphPath,
      requires: requires.map((each) => `${each.key.name}${each.optional ? "?" : ""}`),
      provides: names(provides),
    })),
  ).toEqual([
    {
      kind: "mount",
      id: "m",
      path: "m",
      graph: "outer",
      graphPath: "",
      requires: ["given?", "unused?"],
      provides: ["a", "b"],
    },
    {
      kind: "node",
      id: "inner",
      path: "m/inner",
      graph: "child",
      graphPath: "m",
      requires: ["given", "limit?"],
      provides: ["a"],
    },
    { kind: "node", id: "silent", path: "silent", graph: "outer", graphPath: "", requires: [], provides: [] },
  ]);
  // The keys themselves carry the types.
  expect(nodes[1]?.requires[0]?.key).toBe(given);
  expect(nodes[1]?.provides[0]?.type).toBe(a.type);
});

test("CKPT-27 a mount is told with its wiring", () => {
  const [mounted] = checkpointNodes(outer);
  expect(mounted?.mount).toEqual({
    graph: "child",
    in: [
      { input: "given", key: given, from: given },
      { input: "unused", key: unused, from: unused },
    ],
    fix: [{ input: "limit", key: limit, value: 10 }],
    out: [
      { output: "a", key: a, to: a },
      { output: "given", key: given, to: b },
    ],
  });
});

test("CKPT-20 CKPT-27 retries are told by their place in the effective chain", () => {
  const retries = (aspects?: Parameters<typeof checkpointNodes>[1]) =>
    checkpointNodes(outer, aspects).map((each) => each.retries);
  expect(retries()).toEqual([
    [{ place: 0, limit: 3 }],
    [
      { place: 0, limit: 4 },
      { place: 2, limit: 2 },
    ],
    [],
  ]);
  expect(retries({ aspects: [idle, retry({ limit: 9 })] })).toEqual([
    [
      { place: 1, limit: 9 },
      { place: 2, limit: 3 },
    ],
    [
      { place: 1, limit: 9 },
      { place: 2, limit: 4 },
      { place: 4, limit: 2 },
    ],
    [{ place: 1, limit: 9 }],
  ]);
  expect(retries({ aspects: false })).toEqual([[], [], []]);
});

test("CKPT-27 all ports are told, unused and pass-through ones too", () => {
  expect(
    checkpointPorts(outer).map(({ graph: name, path, inputs, outputs }) => ({
      graph: name,
      path,
      inputs: inputs.map((each) => `${each.key.name}${each.optional ? "?" : ""}`),
      outputs: names(outputs),
    })),
  ).toEqual([
    { graph: "outer", path: "", inputs: ["given", "unused?"], outputs: ["a", "b", "given"] },
    { graph: "child", path: "m", inputs: ["given", "limit", "unused?"], outputs: ["a", "given"] },
  ]);
});

test("CKPT-27 what is told is a copy: changing it changes no graph", async () => {
  const before = await run(outer, { given: 2 });
  const scramble = (thing: unknown, depth = 0): void => {
    if (typeof thing !== "object" || thing === null || Object.isFrozen(thing) || depth > 6) return;
    for (const name of Object.keys(thing)) {
      scramble((thing as Record<string, unknown>)[name], depth + 1);
      if (Array.isArray(thing)) continue;
      Reflect.set(thing, name, undefined);
    }
    if (Array.isArray(thing)) thing.length = 0;
  };
  const expected = [JSON.stringify(checkpointNodes(outer)), JSON.stringify(checkpointPorts(outer))];
  scramble(checkpointNodes(outer));
  scramble(checkpointPorts(outer));
  expect([JSON.stringify(checkpointNodes(outer)), JSON.stringify(checkpointPorts(outer))]).toEqual(expected);
  expect((await run(outer, { given: 2 })).outputs).toEqual(before.outputs);
});

test("CKPT-27 the inputs that an execution received are told, each as ready or skipped; no value made inside is among them", async () => {
  const box = key("box", type<{ count: number }>("box"));
  const boxed = graph("boxed", {
    inputs: [box, optional(given), optional(unused)],
    outputs: [a],
    nodes: [node("n", { requires: [box], provides: [a] }, (values) => ({ a: values.box.count }))],
  });
  const value = { count: 1 };
  const running = execution(boxed, { box: value, given: skipped });
  const received = checkpointInputs(running as Execution<unknown>);
  expect([...received]).toEqual([
    ["box", { state: "ready", value }],
    ["given", { state: "skipped" }],
    ["unused", { state: "skipped" }],
  ]);
  // The values themselves are not copied.
  const first = received.get("box");
  expect(first?.state === "ready" && first.value === value).toBe(true);
  running.start();
  await running.wait();
  expect([...checkpointInputs(running as Execution<unknown>).keys()]).toEqual(["box", "given", "unused"]);
});

test("CKPT-27 the inputs that are told are a copy: changing it changes no execution", async () => {
  const plain = graph("plain", {
    inputs: [given],
    outputs: [a],
    nodes: [node("n", { requires: [given], provides: [a] }, (values) => ({ a: values.given }))],
  });
  const running = execution(plain, { given: 1 });
  const received = checkpointInputs(running as Execution<unknown>) as Map<string, unknown>;
  Reflect.set(received.get("given") as object, "value", 2);
  received.clear();
  expect([...checkpointInputs(running as Execution<unknown>)]).toEqual([["given", { state: "ready", value: 1 }]]);
  running.start();
  expect((await running.wait()).values.a).toBe(1);
});

test("CKPT-31 an execution that this core did not make is refused", () => {
  const foreign = { id: "x" } as Execution<unknown>;
  expect(thrownBy(() => checkpointInputs(foreign))).toMatchObject({ code: "PULSE_USAGE" });
});
