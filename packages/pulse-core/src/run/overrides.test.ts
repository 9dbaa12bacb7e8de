import { describe, expect, test } from "vitest";
import { aspect, graph, mount, node, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const given = numberKey("given");
const made = numberKey("made");
const beside = numberKey("beside");
const after = numberKey("after");
const bodies: string[] = [];

const watching = aspect("watching", async ({ path }, next) => {
  bodies.push(`aspect of ${path}`);
  await next();
});

const make = node("make", { requires: [given], provides: [made, beside], aspects: [watching] }, (values) => {
  bodies.push("make");
  return { made: values.given, beside: values.given };
});
const inner = graph("inner", {
  inputs: [given],
  outputs: [made, beside],
  nodes: [make],
});
const outer = graph("outer", {
  inputs: [given],
  outputs: [after, made, beside],
  nodes: [
    mount("child", inner),
    node("use", { requires: [made], provides: [after] }, (values) => ({ after: values.made + 1 })),
  ],
});

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-40 CORE-50 a replaced node keeps its requires, provides, aspects and place: only its body is another", async () => {
    bodies.length = 0;
    const log = eventLog();
    const outcome = await run(
      outer,
      { given: 1 },
      {
        observers: [log.observer],
        overrides: {
          nodes: { "child/make": (values: { given: number }) => as(() => ({ made: values.given * 100, beside: 0 })) },
        },
      },
    );
    expect(outcome.values).toMatchObject({ after: 101, made: 100, beside: 0 });
    expect(bodies).toEqual(["aspect of child/make"]);
    expect(log.lines("child/make")).toEqual([
      "node-waiting child/make",
      "node-running child/make",
      "node-finished child/make",
    ]);
  });

  test("CORE-50 CORE-9 a replacing body is held to what its node declares", async () => {
    const failed = await rejectionOf(
      run(outer, { given: 1 }, { overrides: { nodes: { "child/make": () => as(() => ({ after: 1 })) } } }),
      "PULSE_EXECUTION_FAILED",
    );
    expect(failed.details.path).toBe("child/make");
    expectCode(failed.cause, "PULSE_USAGE");
  });
});

test("CORE-40 CORE-50 the provider of a replaced key does not run and is finished as completed, by override", async () => {
  bodies.length = 0;
  const log = eventLog();
  const single = graph("single", {
    inputs: [given],
    outputs: [made, beside, after],
    nodes: [
      ...inner.nodes,
      node("use", { requires: [made], provides: [after] }, (values) => ({ after: values.made + 1 })),
    ],
  });
  const outcome = await run(single, { given: 1 }, { observers: [log.observer], overrides: { keys: { made: 41 } } });
  expect(outcome.outputs).toEqual({
    made: { state: "ready", value: 41 },
    beside: { state: "skipped" },
    after: { state: "ready", value: 42 },
  });
  expect(bodies).toEqual([]);
  const events = log.events.filter(({ path }) => path === "make");
  expect(events).toMatchObject([
    { kind: "node-waiting" },
    { kind: "node-finished", reason: "completed", overridden: true },
  ]);
});

test("CORE-40 CORE-50 a mount that provides a replaced key makes no child", async () => {
  bodies.length = 0;
  const log = eventLog();
  const outcome = await run(outer, { given: 1 }, { observers: [log.observer], overrides: { keys: { made: 41 } } });
  expect(outcome.outputs).toMatchObject({ after: { state: "ready", value: 42 }, beside: { state: "skipped" } });
  expect(bodies).toEqual([]);
  expect(log.events.some(({ kind }) => kind === "child-created")).toBe(false);
});

test("CORE-3 CORE-40 a key may be replaced by undefined", async () => {
  const outcome = await run(outer, { given: 1 }, { overrides: { keys: { made: undefined } } });
  expect(outcome.outputs["made"]).toEqual({ state: "ready", value: undefined });
});

test("CORE-40 overrides hold for one execution only", async () => {
  await run(outer, { given: 1 }, { overrides: { keys: { made: 41 } } });
  expect((await run(outer, { given: 1 })).values.after).toBe(2);
});

test.each([
  ["a node", { nodes: { "child/mak": () => ({}) } }, '"child/mak"'],
  ["a key", { keys: { mad: 1 } }, '"mad"'],
])(
  "CORE-40 an override of %s that the graph does not have is refused before anything runs",
  async (_name, overrides, name) => {
    bodies.length = 0;
    const { details } = await rejectionOf(run(outer, { given: 1 }, { overrides }), "PULSE_INVALID");
    expect(details.problems.map(({ code }) => code)).toEqual(["PULSE_OVERRIDE_UNKNOWN"]);
    expect(details.problems[0]?.message).toContain(name);
    expect(bodies).toEqual([]);
  },
);

test("CORE-40 an override of an input is refused, and said to be an input, in a child too", async () => {
  for (const name of ["given", "child/given"]) {
    const overrides = { keys: { [name]: 1 } };
    const { details } = await rejectionOf(run(outer, { given: 1 }, { overrides }), "PULSE_INVALID");
    expect(details.problems.map(({ code }) => code)).toEqual(["PULSE_OVERRIDE_UNKNOWN"]);
    expect(details.problems[0]?.message).toContain(`"${name}", which is an input; give it as one`);
  }
});
