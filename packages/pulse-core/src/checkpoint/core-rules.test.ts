import { describe, expect, test } from "vitest";
import { aspect, graph, mount, node, optional, retry, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { checkpointed, resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { anyKey, numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const given = numberKey("given");
const a = numberKey("a");
const b = numberKey("b");
const c = numberKey("c");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-42 a skip or no-value signal after a write is an error that names the keys; nothing is committed", async () => {
    for (const how of ["skip", "read"] as const) {
      const hooks = recordingHooks();
      const late = graph("late", {
        inputs: [optional(given)],
        outputs: [a, b],
        nodes: [
          node("go", { provides: [c] }, () => ({ c: 1 })),
          node("n", { requires: [c, given], provides: [a, b] }, (values, { set, skip }) =>
            as(() => {
              const settled = set(a, 1);
              if (how === "skip") skip();
              return { a: settled, b: values.given };
            }),
          ),
        ],
      });
      const error = await rejectionOf(runCheckpointed(late, {}, hooks), "PULSE_EXECUTION_FAILED");
      const cause = expectCode(error.cause, "PULSE_USAGE");
      expect([cause.details.rule, cause.details.key]).toEqual(["CORE-42", "a"]);
      expect(cause.message).toContain('"a"');
      expect([hooks.callsOf("commit"), hooks.callsOf("failAttempt")]).toEqual([["root/go"], ["root/n"]]);
    }
  });

  test("CORE-42 CORE-17 a write of a failed try does not count against a later skip", async () => {
    const hooks = recordingHooks();
    const late = graph("late", {
      outputs: [a],
      nodes: [
        node("n", { provides: [a], aspects: [retry({ limit: 2 })] }, (_values, { attempt, set, skip }) =>
          as(() => {
            if (attempt === 2) return skip();
            set(a, 1);
            throw new Error("again");
          }),
        ),
      ],
    });
    expect((await runCheckpointed(late, {}, hooks)).outputs.a).toEqual({ state: "skipped" });
    expect(hooks.record.lines).toEqual(["root/n skipped a skipped"]);
  });

  test("CORE-7 CORE-8 a skip inside a retry is no failed try: nothing is confirmed failed", async () => {
    const hooks = recordingHooks();
    const skipping = graph("skipping", {
      outputs: [a],
      nodes: [node("n", { provides: [a], aspects: [retry({ limit: 3 })] }, (_values, { skip }) => as(() => skip()))],
    });
    expect((await runCheckpointed(skipping, {}, hooks)).outputs.a).toEqual({ state: "skipped" });
    expect(hooks.calls).toEqual(["openAttempt root/n", "openAttempt root/n@0#1", "commit root/n"]);
  });

  test("CORE-40 CORE-50 a replaced node keeps its place: attempt, boundaries and commit are as before", async () => {
    const hooks = recordingHooks();
    const child = graph("child", {
      outputs: [a],
      nodes: [node("inner", { provides: [a], aspects: [retry({ limit: 2 })] }, () => as(() => ({ a: 1 })))],
    });
    const outer = graph("outer", { outputs: [a], nodes: [mount("m", child)] });
    let calls = 0;
    const inner = () =>
      as(() => {
        if (++calls === 1) throw new Error("again");
        return { a: 5 };
      });
    expect((await runCheckpointed(outer, {}, hooks, { overrides: { nodes: { "m/inner": inner } } })).values.a).toBe(5);
    expect(hooks.callsOf("openAttempt")).toEqual(["root/m", "root/m/inner", "root/m/inner@0#1", "root/m/inner@0#2"]);
    expect(hooks.record.lines).toEqual(["root/m/inner completed a=5", "root/m completed a=5"]);
  });

  test("CORE-40 CORE-50 the provider of a replaced key does not run, and commits as completed with its other keys skipped", async () => {
    const hooks = recordingHooks();
    const log = eventLog();
    let bodies = 0;
    const replaced = graph("replaced", {
      inputs: [optional(given)],
      outputs: [a, b, c],
      nodes: [
        node("n", { requires: [given], provides: [a, b], aspects: [retry({ limit: 2 })] }, (values) =>
          as(() => (bodies++, { a: values.given, b: 2 })),
        ),
        node("use", { requires: [a], provides: [c] }, (values) => as(() => ({ c: values.a + 1 }))),
      ],
    });
    const outcome = await runCheckpointed(replaced, {}, hooks, {
      overrides: { keys: { a: 7 } },
      observers: [log.observer],
    });
    expect(outcome.outputs).toEqual({
      a: { state: "ready", value: 7 },
      b: { state: "skipped" },
      c: { state: "ready", value: 8 },
    });
    expect(bodies).toBe(0);
    expect(hooks.record.lines).toEqual(["root/n completed a=7 b skipped", "root/use completed c=8"]);
    expect(hooks.callsOf("openAttempt")).toEqual(["root/n", "root/use"]);
    expect(log.events.filter(({ path, kind }) => path === "n" && kind === "node-finished")).toMatchObject([
      { reason: "completed", overridden: true },
    ]);
  });

  test("CORE-18 concurrency counts bodies, not saves: another body runs while a node is being confirmed", async () => {
    const hooks = recordingHooks();
    const held = hooks.hold("commit", "root/one");
    const ran: string[] = [];
    const two = graph("two", {
      outputs: [a, b],
      nodes: [
        node("one", { provides: [a] }, () => as(() => (ran.push("one"), { a: 1 }))),
        node("two", { provides: [b] }, () => as(() => (ran.push("two"), { b: 2 }))),
      ],
    });
    const running = runCheckpointed(two, {}, hooks, { concurrency: 1 });
    await held.reached;
    await turn();
    expect(ran).toEqual(["one", "two"]);
    held.release();
    await running;
  });

  test("CORE-37 G11 under a cap no body starts after a failure whose confirmation is under way", async () => {
    const hooks = recordingHooks();
    const held = hooks.hold("failAttempt", "root/one");
    const ran: string[] = [];
    const many = graph("many", {
      nodes: ["one", "two", "three"].map((id) =>
        node(id, {}, () =>
          as(() => {
            ran.push(id);
            throw new Error(id);
          }),
        ),
      ),
    });
    const running = runCheckpointed(many, {}, hooks, { concurrency: 1 });
    await held.reached;
    await turn();
    held.release();
    const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
    expect([ran, error.details.others]).toEqual([["one"], []]);
  });
});

test("CORE-15 a body that a timeout gave up on writes nothing into a later try or a later commit", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const gate = deferred();
  let refused: unknown;
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 2 }), timeout(10)] }, async (_values, { attempt, set }) => {
        if (attempt === 2) return { a: 2 };
        await gate.promise;
        try {
          return { a: set(a, 1) };
        } catch (error) {
          refused = error;
          throw error;
        }
      }),
    ],
  });
  const held = hooks.hold("commit", "root/n");
  const running = runCheckpointed(one, {}, hooks, { host });
  await host.advance(10);
  await held.reached;
  gate.resolve();
  await turn();
  expect(expectCode(refused, "PULSE_USAGE").details.rule).toBe("CORE-15");
  held.release();
  expect((await running).values.a).toBe(2);
});

test("CORE-13 CKPT-10 an aspect that answers before its retry is done: nothing more is opened or confirmed for it", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  let bodies = 0;
  const begun = deferred();
  const hasty = aspect("hasty", async (context, next) => {
    next().catch(() => {});
    await begun.promise;
    context.set(a, 7);
  });
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [hasty, retry({ limit: 5 })] }, async () => {
        bodies++;
        begun.resolve();
        await gate.promise;
        throw new Error("late");
      }),
    ],
  });
  const running = runCheckpointed(one, {}, hooks);
  await turn();
  const calls = [...hooks.calls];
  gate.resolve();
  expect((await running).values.a).toBe(7);
  await turn();
  expect(calls).toContain("commit root/n");
  expect(hooks.calls).toEqual(calls);
  expect(bodies).toBe(1);
});

test.each(["openChild root/m", "openAttempt root/m/first", "commit root/m/first"])(
  "CORE-13 CKPT-5 an aspect that answers for a mount at its %s: nothing more is begun in the child",
  async (at) => {
    const hooks = recordingHooks();
    const [hook, id] = at.split(" ") as ["openChild" | "openAttempt" | "commit", string];
    const held = hooks.hold(hook, id);
    const bodies: string[] = [];
    const child = graph("child", {
      outputs: [a, b],
      nodes: [
        node("first", { provides: [a] }, () => (bodies.push("first"), { a: 1 })),
        node("second", { requires: [a], provides: [b] }, () => (bodies.push("second"), { b: 2 })),
      ],
    });
    const hasty = aspect("hasty", async (context, next) => {
      next().catch(() => {});
      await held.reached;
      context.set(b, 7);
    });
    const outer = graph("outer", { outputs: [a, b], nodes: [mount("m", child, { aspects: [hasty] })] });
    const running = runCheckpointed(outer, {}, hooks);
    await held.reached;
    await turn();
    held.release();
    expect((await running).outputs).toEqual({ a: { state: "skipped" }, b: { state: "ready", value: 7 } });
    await turn();
    expect(hooks.callsOf("openAttempt")).toEqual(hook === "openChild" ? ["root/m"] : ["root/m", "root/m/first"]);
    expect(bodies).toEqual(hook === "commit" ? ["first"] : []);
  },
);

test("CORE-41 CKPT-3 a root input that is skipped skips its readers, which commit as skipped", async () => {
  const hooks = recordingHooks();
  const reader = graph("reader", {
    inputs: [optional(given)],
    outputs: [a],
    nodes: [node("n", { requires: [given], provides: [a] }, (values) => ({ a: values.given }))],
  });
  await runCheckpointed(reader, {}, hooks);
  expect(hooks.record.lines).toEqual(["root/n skipped a skipped"]);
});

test("CORE-3 CKPT-5 undefined, null, an empty text, 0 and NaN are values: they are committed as ready and restored as such", async () => {
  const any = anyKey("any");
  for (const value of [undefined, null, "", 0, Number.NaN]) {
    const hooks = recordingHooks();
    const one = graph("one", { outputs: [any], nodes: [node("n", { provides: [any] }, () => ({ any: value }))] });
    const expected = { any: { state: "ready", value } };
    expect((await runCheckpointed(one, {}, hooks)).outputs).toEqual(expected);
    const again = resumed(one, {}, hooks.record);
    again.running.start();
    expect((await again.running.wait()).outputs).toEqual(expected);
  }
});

test("CORE-35 G17 a chain of 3,000 synchronous bodies with checkpoints ends, and resumes whole", async () => {
  const hooks = recordingHooks();
  const keys = Array.from({ length: 3_000 }, (_, index) => numberKey(`k${index}`));
  const nodes = keys.map((own, index) => {
    const from = keys[index - 1];
    return node(`n${index}`, { requires: from === undefined ? [] : [from], provides: [own] }, (_values, context) => ({
      [own.name]: from === undefined ? 0 : context.get(from) + 1,
    }));
  });
  const last = keys.at(-1) as (typeof keys)[number];
  const long = graph("long", { outputs: [last], nodes });
  const running = checkpointed(long, {}, hooks);
  running.start();
  expect((await running.wait()).values).toEqual({ [last.name]: 2_999 });
  const again = resumed(long, {}, hooks.record);
  again.running.start();
  expect((await again.running.wait()).values).toEqual({ [last.name]: 2_999 });
  expect(again.hooks.calls).toEqual([]);
});
