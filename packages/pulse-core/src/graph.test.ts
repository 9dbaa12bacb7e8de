import { expect, test } from "vitest";
import { aspect } from "./aspects/aspect.ts";
import { graph } from "./graph.ts";
import { optional } from "./key.ts";
import { mount } from "./mount.ts";
import { node } from "./node.ts";
import { anyKey } from "./testing/keys.ts";

const a = anyKey("a");
const b = anyKey("b");
const watch = aspect("watch", (_context, next) => next());

/** Everything that is reachable of a definition, but for what users own: bodies, schemas, constants. */
function partsOf(part: unknown, found = new Set<object>()): Set<object> {
  if (typeof part !== "object" || part === null || found.has(part)) return found;
  found.add(part);
  for (const [name, value] of Object.entries(part)) if (name !== "fix") partsOf(value, found);
  return found;
}

test("CORE-24 a built graph is immutable in all its depth", () => {
  const inner = graph("inner", {
    inputs: [a],
    outputs: [b],
    nodes: [node("make", { requires: [optional(a)], provides: [b], aspects: [watch] }, () => ({ b: 1 }))],
    aspects: [watch],
  });
  const outer = graph("outer", {
    inputs: [a],
    outputs: [b],
    nodes: [mount("m", inner, { in: { a }, out: { b }, fix: {} })],
  });
  const parts = [...partsOf(outer)];
  expect(parts.length).toBeGreaterThan(15);
  expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
});

test("CORE-24 what a graph was made of may be changed afterwards: the graph has copies", () => {
  const requires = [a];
  const provides = [b];
  const step = node("make", { requires, provides }, () => ({ b: 1 }));
  const wires = { in: { a }, out: { b } };
  const nodes = [mount("m", graph("inner", { inputs: [a], outputs: [b], nodes: [step] }), wires)];
  const built = graph("outer", { inputs: [a], outputs: [b], nodes });
  const before = JSON.stringify(built);
  requires.pop();
  provides.pop();
  nodes.pop();
  wires.in.a = b as never;
  expect(JSON.stringify(built)).toBe(before);
});

test("CORE-24 constants are kept as they are given: Pulse neither copies nor freezes values", () => {
  const limits = { most: 1 };
  const inner = graph("inner", { inputs: [a], nodes: [] });
  const mounted = mount("m", inner, { fix: { a: limits } });
  expect(mounted.fix["a"]).toBe(limits);
  expect(Object.isFrozen(limits)).toBe(false);
});

test("CORE-26 a graph without inputs, outputs and nodes is a graph", () => {
  expect(graph("nothing", { nodes: [] })).toEqual({
    kind: "graph",
    name: "nothing",
    inputs: [],
    outputs: [],
    nodes: [],
    aspects: [],
  });
});

test("CORE-23 one graph object may be mounted many times, also inside itself's parents", () => {
  const inner = graph("inner", { outputs: [a], nodes: [node("make", { provides: [a] }, () => ({ a: 1 }))] });
  const middle = graph("middle", { outputs: [a], nodes: [mount("deep", inner)] });
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [mount("one", middle), mount("two", inner, { out: { a: b } }), mount("three", middle, { out: {} })],
  });
  expect(outer.nodes.map(({ id }) => id)).toEqual(["one", "two", "three"]);
});
