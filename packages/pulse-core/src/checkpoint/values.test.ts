import { expect, test } from "vitest";
import { aspect, graph, key, mount, node, retry, timeout, type } from "../index.ts";
import { runCheckpointed } from "../testing/checkpointed.ts";
import { turn } from "../testing/deferred.ts";
import { numberKey, textKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";
import { RunRecord } from "../testing/run-record.ts";
import type { CheckpointHooks, NodeResult, WrittenOutput } from "./hooks.ts";

interface Box {
  count: number;
}
const box = key("box", type<Box>("box"));
const given = numberKey("given");
const a = numberKey("a");
const b = numberKey("b");
const text = textKey("text");

/** Readers of what was written, by a rule of their own. */
const answering = (hooks: CheckpointHooks, change: (value: unknown) => unknown): CheckpointHooks => ({
  ...hooks,
  commit: async (request) =>
    (await hooks.commit(request)).map((output) =>
      output.state !== "ready" ? output : { ...output, read: () => change(output.read()) },
    ),
});

test("CKPT-36 core publishes, hands to bodies and returns what the hooks gave back, not what was written", async () => {
  const hooks = recordingHooks();
  const seen: unknown[] = [];
  const pair = graph("pair", {
    outputs: [a, b],
    nodes: [
      node("make", { provides: [a] }, () => ({ a: 1 })),
      node("use", { requires: [a], provides: [b] }, (values, context) => {
        seen.push(values.a, context.get(a));
        return { b: values.a };
      }),
    ],
  });
  const outcome = await runCheckpointed(
    pair,
    {},
    answering(hooks, (value) => (value as number) + 100),
  );
  expect(seen).toEqual([101, 101]);
  expect(outcome.values).toMatchObject({ a: 101, b: 201 });
});

test("CKPT-36 a hook may give back a skip in the place of a value, and a value in the place of a skip", async () => {
  const hooks = recordingHooks();
  const pair = graph("pair", {
    outputs: [a, b, text],
    nodes: [
      node("make", { provides: [a, b] }, (_values, { skip }) => ({ a: 1, b: skip(b) })),
      node("use", { requires: [b], provides: [text] }, (values) => ({ text: `b is ${values.b}` })),
    ],
  });
  const outcome = await runCheckpointed(
    pair,
    {},
    {
      ...hooks,
      commit: (request) =>
        request.nodeId !== "make"
          ? hooks.commit(request)
          : Promise.resolve([
              { name: "b", state: "ready", read: () => 7 },
              { name: "a", state: "skipped" },
            ]),
    },
  );
  expect(outcome.outputs).toEqual({
    a: { state: "skipped" },
    b: { state: "ready", value: 7 },
    text: { state: "ready", value: "b is 7" },
  });
});

test("CKPT-36 a confirmed value is read once for each try of each reading node, and once for the outcome", async () => {
  const reads: string[] = [];
  const hooks = recordingHooks(new RunRecord((name) => reads.push(name)));
  const seen: (readonly [string, Box])[] = [];
  const readers = graph("readers", {
    outputs: [box],
    nodes: [
      node("make", { provides: [box] }, () => ({ box: { count: 1 } })),
      node(
        "tried",
        { requires: [box], provides: [a], aspects: [retry({ limit: 3 }), timeout(60_000)] },
        (values, context) => {
          // Within a try each look gives the same object.
          expect(context.get(box)).toBe(values.box);
          seen.push(["tried", values.box]);
          values.box.count += 100;
          if (context.attempt < 3) throw new Error("again");
          return { a: values.box.count };
        },
      ),
      node("plain", { requires: [box], provides: [b] }, async (values) => {
        seen.push(["plain", values.box]);
        await turn();
        return { b: values.box.count };
      }),
    ],
  });
  const outcome = await runCheckpointed(readers, {}, hooks);
  expect(reads).toEqual(["box", "box", "box", "box", "box"]);
  // What one try did to its object is seen by none of the others (CODEC-13).
  expect(seen.map(([, { count }]) => count).toSorted((left, right) => left - right)).toEqual([1, 101, 101, 101]);
  expect(new Set(seen.map(([, object]) => object)).size).toBe(4);
  expect(outcome.values.box).toEqual({ count: 1 });
});

test("CKPT-36 a node that does not start reads nothing", async () => {
  const reads: string[] = [];
  const hooks = recordingHooks(new RunRecord((name) => reads.push(name)));
  const pair = graph("pair", {
    nodes: [
      node("make", { provides: [a] }, () => ({ a: 1 })),
      node(
        "cached",
        { requires: [a], provides: [b], aspects: [aspect("cached", (context) => void context.set(b, 1))] },
        (values) => ({
          b: values.a,
        }),
      ),
    ],
  });
  await runCheckpointed(pair, {}, hooks);
  expect(reads).toEqual([]);
});

test("CKPT-36 the node's inputs that openAttempt gives are read in the place of what the host gave, in each try anew", async () => {
  const hooks = recordingHooks();
  let reads = 0;
  const seen: number[] = [];
  const one = graph("one", {
    inputs: [given],
    outputs: [a],
    nodes: [
      node("n", { requires: [given], provides: [a], aspects: [retry({ limit: 2 })] }, (values, { attempt }) => {
        seen.push(values.given);
        if (attempt === 1) throw new Error("again");
        return { a: values.given };
      }),
    ],
  });
  const outcome = await runCheckpointed(
    one,
    { given: 1 },
    {
      ...hooks,
      openAttempt: async (request) => ({
        ...(await hooks.openAttempt(request)),
        ...(request.boundary === "" ? { inputs: new Map([["given", () => 10 * ++reads]]) } : {}),
      }),
    },
  );
  expect([seen, outcome.values.a]).toEqual([[10, 20], 20]);
});

test("CKPT-28 prepare is called in one synchronous step with the commit: what changes in the microtask after it is not recorded", async () => {
  const hooks = recordingHooks();
  const kept: Box = { count: 1 };
  let step = "";
  let commitStep = "";
  const one = graph("one", { outputs: [box], nodes: [node("n", { provides: [box] }, () => ({ box: kept }))] });
  const outcome = await runCheckpointed(
    one,
    {},
    {
      ...hooks,
      prepare: (result) => {
        const prepared = hooks.prepare?.(result);
        step = "prepared";
        queueMicrotask(() => {
          step = "after";
          kept.count = 2;
        });
        return prepared;
      },
      commit: (request) => {
        commitStep = step;
        return hooks.commit(request);
      },
    },
  );
  expect(commitStep).toBe("prepared");
  expect(kept.count).toBe(2);
  expect(hooks.record.lines).toEqual(['root/n completed box={"count":1}']);
  expect(outcome.values.box).toEqual({ count: 1 });
});

test("CKPT-28 core does not copy values: the hooks get the very object, and core's own outcome is what they give", async () => {
  const hooks = recordingHooks();
  const kept: Box = { count: 1 };
  const seen: unknown[] = [];
  const one = graph("one", { outputs: [box], nodes: [node("n", { provides: [box] }, () => ({ box: kept }))] });
  const outcome = await runCheckpointed(
    one,
    {},
    {
      ...hooks,
      commit: (request) => {
        const [output] = request.outputs as readonly (WrittenOutput & { readonly state: "ready" })[];
        seen.push(output?.value);
        return Promise.resolve([{ name: "box", state: "ready", read: () => output?.value }]);
      },
    },
  );
  expect(seen[0]).toBe(kept);
  expect(outcome.values.box).toBe(kept);
});

test("CKPT-28 CKPT-35 D13 a value that cannot be encoded fails its own node alone, and a retry outside has no part in it", async () => {
  const hooks = recordingHooks();
  const cannot = new Error("cannot encode");
  let bodies = 0;
  const pair = graph("pair", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [retry({ limit: 3 })] }, () => (bodies++, { a: 1 }))],
  });
  const error = await rejectionOf(
    runCheckpointed(
      pair,
      {},
      {
        ...hooks,
        prepare: () => {
          throw cannot;
        },
      },
    ),
    "PULSE_EXECUTION_FAILED",
  );
  expect(error.cause).toBe(cannot);
  expect([bodies, hooks.callsOf("commit"), [...hooks.record.failed]]).toEqual([1, [], ["root/n"]]);
});

test("CKPT-36 CODEC-18 a value that a mount passes on unchanged comes to the commit as its reader", async () => {
  const hooks = recordingHooks();
  const results: NodeResult[] = [];
  const child = graph("child", {
    inputs: [given],
    outputs: [a, given],
    nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", {
    inputs: [given],
    outputs: [a, b],
    nodes: [mount("m", child, { out: { a, given: b } })],
  });
  const outcome = await runCheckpointed(
    outer,
    { given: 5 },
    { ...hooks, prepare: (result) => (results.push(result), hooks.prepare?.(result)) },
  );
  expect(outcome.values).toMatchObject({ a: 1, b: 5 });
  const outputs = results.find(({ nodeId }) => nodeId === "m")?.outputs as readonly (WrittenOutput & {
    readonly state: "ready";
  })[];
  expect(outputs.map((output) => [output.key.name, typeof output.read])).toEqual([
    ["a", "function"],
    // The host's own input was never confirmed by a commit.
    ["b", "undefined"],
  ]);
});

test("CODEC-18 convert is asked when a confirmed value passes between keys of different types, in both directions; what it throws fails the mount", async () => {
  const wide = key("wide", type<number>("wide"));
  const narrow = key("narrow", type<number>("narrow"));
  const child = graph("child", {
    inputs: [wide],
    outputs: [narrow],
    nodes: [node("inner", { requires: [wide], provides: [narrow] }, (values) => ({ narrow: values.wide * 2 }))],
  });
  const outer = graph("outer", {
    outputs: [b],
    nodes: [
      node("source", { provides: [a] }, () => ({ a: 1 })),
      mount("m", child, { in: { wide: a }, out: { narrow: b } }),
    ],
  });
  const asked: string[] = [];
  const hooks = recordingHooks();
  const outcome = await runCheckpointed(
    outer,
    {},
    {
      ...hooks,
      convert: (read, from, to) => (asked.push(`${from.name} ${to.name}`), () => (read() as number) + 1000),
    },
  );
  expect(asked).toEqual(["a wide", "narrow b"]);
  expect(outcome.values.b).toBe((1 + 1000) * 2 + 1000);
  for (const refused of ["wide", "b"]) {
    const again = recordingHooks();
    const cannot = new Error("cannot convert");
    const error = await rejectionOf(
      runCheckpointed(
        outer,
        {},
        {
          ...again,
          convert: (read, _from, to) => {
            if (to.name === refused) throw cannot;
            return read;
          },
        },
      ),
      "PULSE_EXECUTION_FAILED",
    );
    expect([error.cause, error.details.path]).toEqual([cannot, "m"]);
    expect(again.callsOf("failAttempt")).toEqual(["root/m"]);
  }
});
