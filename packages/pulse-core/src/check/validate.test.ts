import fc from "fast-check";
import { expect, test } from "vitest";
import { isPulseError } from "../errors.ts";
import { graph } from "../graph.ts";
import { optional, type AnyKey } from "../key.ts";
import { mount, type AnyGraph } from "../mount.ts";
import type { Node } from "../node.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { problemsOf, validate } from "./validate.ts";

const a = anyKey("a");

test("CORE-26 all problems stand in one error, each with code, path and message", () => {
  const table = { outputs: [anyKey("quotee")], nodes: [part("one", [a], [anyKey("quote")]), part("one", [], [])] };
  try {
    graph("order", table as never);
    expect.unreachable();
  } catch (error) {
    if (!isPulseError(error, "PULSE_INVALID")) throw error;
    expect(error.details.problems.map(({ code }) => code)).toEqual([
      "PULSE_NODE_DUPLICATE",
      "PULSE_KEY_UNPROVIDED",
      "PULSE_OUTPUT_UNPROVIDED",
    ]);
    expect(error.message.split("\n")).toEqual([
      'graph "order" has 3 problem(s):',
      ...error.details.problems.map(({ path, message }) => `- at ${path}: ${message}`),
    ]);
  }
});

test("CORE-26 validate() looks at a graph that graph() did not make", () => {
  const good = graph("order", { inputs: [a], nodes: [part("one", [a], [])] });
  expect(() => validate(good)).not.toThrow();
  expect(() => validate({ ...good, inputs: [a] })).not.toThrow();
  expect(() => validate({ ...good, inputs: [] })).toThrow('node "one" requires key "a"');
});

test("CORE-26 problemsOf() gives the same without throwing, whatever it is given", () => {
  for (const anything of [undefined, null, 7, "x", {}, [], () => {}])
    expect(problemsOf(anything as never)[0]?.code).toBe("PULSE_DEFINITION_INVALID");
  expect(problemsOf(graph("order", { nodes: [] }))).toEqual([]);
});

test("CORE-26 a graph that was valid and was changed since is looked at anew", () => {
  const nodes: Node[] = [];
  const loose: AnyGraph = { kind: "graph", name: "loose", inputs: [], outputs: [], nodes, aspects: [] };
  expect(problemsOf(loose)).toEqual([]);
  nodes.push(part("one", [a], []));
  expect(problemsOf(loose)).toHaveLength(1);
});

test("CORE-26 a mounted graph that graph() did not make is looked at, with its path", () => {
  const loose: AnyGraph = {
    kind: "graph",
    name: "inner",
    inputs: [],
    outputs: [],
    nodes: [part("one", [a], [])],
    aspects: [],
  };
  const outer: AnyGraph = { ...loose, name: "outer", nodes: [mount("m", loose)] };
  expect(problemsOf(outer)).toMatchObject([{ code: "PULSE_KEY_UNPROVIDED", path: "outer/m/inner/one" }]);
});

test("CORE-26 a graph that mounts itself is refused, not followed for ever", () => {
  const nodes: AnyGraph["nodes"][number][] = [];
  const loop: AnyGraph = { kind: "graph", name: "loop", inputs: [], outputs: [], nodes, aspects: [] };
  nodes.push(mount("again", loop));
  expect(problemsOf(loop)).toMatchObject([{ code: "PULSE_CYCLE", message: 'graph "loop" mounts itself' }]);
});

test("CKPT-39 a graph may be validated before any host is there", () => {
  const outward = graph("order", { outputs: [a], nodes: [part("one", [], [a])] });
  expect(problemsOf(outward)).toEqual([]);
});

/** A valid graph: each node reads some keys of earlier ones; some are mounts of a small child. */
interface Draft {
  readonly inputs: readonly AnyKey[];
  readonly outputs: readonly AnyKey[];
  readonly nodes: readonly AnyGraph["nodes"][number][];
}

const drafts = fc
  .array(fc.record({ from: fc.array(fc.nat(), { maxLength: 3 }), mounted: fc.boolean(), optional: fc.boolean() }), {
    minLength: 2,
    maxLength: 12,
  })
  .map((plan): Draft => {
    const input = anyKey("given");
    const keys: AnyKey[] = [input];
    const nodes = plan.map((step, index) => {
      const made = anyKey(`made-by-${index}`);
      const reads = [...new Set(step.from.map((pick) => keys[pick % keys.length] as AnyKey))];
      keys.push(made);
      if (!step.mounted) return part(`n${index}`, step.optional ? reads.map((key) => optional(key)) : reads, [made]);
      const result = anyKey("result");
      const child: AnyGraph = graph("child", {
        inputs: reads,
        outputs: [result],
        nodes: [part("inner", reads, [result])],
      });
      return mount(`n${index}`, child, { out: { result: made } } as never);
    });
    return { inputs: [input], outputs: keys.slice(-2), nodes };
  });

const build = ({ inputs, outputs, nodes }: Draft): AnyGraph => ({
  kind: "graph",
  name: "random",
  inputs,
  outputs,
  nodes,
  aspects: [],
});
const madeBy = (node: AnyGraph["nodes"][number] | undefined): AnyKey =>
  (node?.kind === "node" ? node.provides[0] : Object.values(node?.out ?? {})[0]) as AnyKey;

test("CORE-26 random valid graphs have no problem, in whatever order their nodes stand", () => {
  fc.assert(
    fc.property(drafts, fc.func(fc.nat()), (draft, order) => {
      expect(problemsOf(build(draft))).toEqual([]);
      const shuffled = draft.nodes.toSorted((one, other) => order(one.id) - order(other.id));
      expect(problemsOf(build({ ...draft, nodes: shuffled }))).toEqual([]);
    }),
  );
});

/** Each plants one fault in a valid graph, and says what must be found: code, path and both ends. */
const faults: Readonly<Record<string, (draft: Draft, at: number) => readonly [Draft, object]>> = {
  "a node id twice": (draft, at) => {
    const { id } = draft.nodes[at] as Node;
    const path = `random/${id}`;
    return [
      { ...draft, nodes: [...draft.nodes, part(id, [], [])] },
      { code: "PULSE_NODE_DUPLICATE", path, ends: [path, path] },
    ];
  },
  "a bad name": (draft) => [
    { ...draft, nodes: [...draft.nodes, part("a/b", [], [])] },
    { code: "PULSE_NAME_INVALID", path: "random/a/b" },
  ],
  "a second key object": (draft, at) => {
    const key = madeBy(draft.nodes[at]);
    const first = draft.outputs.includes(key) ? "random" : `random/${draft.nodes[at]?.id}`;
    return [
      { ...draft, nodes: [...draft.nodes, part("stranger", [anyKey(key.name)], [])] },
      { code: "PULSE_KEY_CONFLICT", path: "random/stranger", ends: [first, "random/stranger"] },
    ];
  },
  "a key twice in a list": (draft, at) => {
    const key = madeBy(draft.nodes[at]);
    return [
      { ...draft, nodes: [...draft.nodes, part("stranger", [key, key], [])] },
      { code: "PULSE_KEY_REPEATED", path: "random/stranger", ends: ["random/stranger", key.name] },
    ];
  },
  "a second provider": (draft, at) => [
    { ...draft, nodes: [...draft.nodes, part("stranger", [], [madeBy(draft.nodes[at])])] },
    {
      code: "PULSE_KEY_DUPLICATE_PROVIDER",
      path: "random/stranger",
      ends: [`random/${draft.nodes[at]?.id}`, "random/stranger"],
    },
  ],
  "a key without a provider": (draft) => [
    { ...draft, nodes: [...draft.nodes, part("stranger", [anyKey("madeby0")], [])] },
    {
      code: "PULSE_KEY_UNPROVIDED",
      path: "random/stranger",
      ends: ["random/stranger", "madeby0"],
      suggestion: "made-by-0",
    },
  ],
  "an output without a provider": (draft) => [
    { ...draft, outputs: [...draft.outputs, anyKey("nobody")] },
    { code: "PULSE_OUTPUT_UNPROVIDED", path: "random", ends: ["random", "nobody"] },
  ],
  "a ring": (draft, at) => {
    const made = madeBy(draft.nodes[at]);
    const back = anyKey("back");
    return [
      {
        ...draft,
        nodes: [...draft.nodes, part("there", [made, back], [anyKey("x")]), part("self", [back, made], [back])],
      },
      { code: "PULSE_CYCLE", path: "random/self", ends: ["random/self"] },
    ];
  },
  "an unknown input of a mount": (draft) => [
    { ...draft, nodes: [...draft.nodes, mount("stranger", graph("empty", { nodes: [] }), { fix: { x: 1 } } as never)] },
    { code: "PULSE_MOUNT_INPUT_UNKNOWN", path: "random/stranger", ends: ["random/stranger", "x"] },
  ],
  "a missing input of a mount": (draft) => [
    { ...draft, nodes: [...draft.nodes, mount("stranger", graph("takes", { inputs: [anyKey("x")], nodes: [] }))] },
    { code: "PULSE_MOUNT_INPUT_MISSING", path: "random/stranger", ends: ["random/stranger", "x"] },
  ],
};

test.each(Object.entries(faults))(
  "CORE-26 in random graphs %s is found, with its path and both ends",
  (_fault, plant) => {
    fc.assert(
      fc.property(drafts, fc.nat(), (draft, pick) => {
        const [faulty, wanted] = plant(draft, pick % draft.nodes.length);
        expect(problemsOf(build(faulty))).toMatchObject([wanted]);
      }),
    );
  },
);

test("CORE-26 in random graphs a ring over any two nodes is found, with the way round", () => {
  fc.assert(
    fc.property(drafts, fc.nat(), (draft, pick) => {
      const at = pick % draft.nodes.length;
      const cut = draft.nodes[at] as AnyGraph["nodes"][number];
      const back = anyKey("back");
      const first = part(cut.id, [back], [madeBy(cut)]);
      const nodes = [...draft.nodes.with(at, first), part("back", [madeBy(cut)], [back])];
      const [found] = problemsOf(build({ ...draft, nodes })).filter(({ code }) => code === "PULSE_CYCLE");
      expect(found).toMatchObject({ path: `random/${cut.id}`, ends: [`random/${cut.id}`, "random/back"] });
      expect(found?.message).toContain(`${cut.id} -> back -> ${cut.id}, over "${madeBy(cut).name}", "back"`);
    }),
  );
});
