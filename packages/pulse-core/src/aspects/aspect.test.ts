import { describe, expect, test } from "vitest";
import { aspect, graph, mount, node, optional, retry, run, timeout, type Aspect } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const given = numberKey("given");
const made = numberKey("made");
const beside = numberKey("beside");

/** Notes when it is entered and left. */
const noting = (name: string, notes: string[]): Aspect =>
  aspect(name, async ({ path }, next) => {
    notes.push(`+${name} ${path}`);
    await next();
    notes.push(`-${name} ${path}`);
  });

describe.each(bothWays)("$how", ({ as }) => {
  const around = (aspects: readonly Aspect[], body: () => { made: number } = () => ({ made: 1 })) =>
    graph("around", { outputs: [made], nodes: [node("inside", { provides: [made], aspects }, () => as(body))] });

  test("CORE-13 aspects are an onion: the execution's, the graph's, the node's, the body", async () => {
    const notes: string[] = [];
    const onion = graph("onion", {
      nodes: [
        node("n", { aspects: [noting("node 1", notes), noting("node 2", notes)] }, () =>
          as(() => void notes.push("body")),
        ),
      ],
      aspects: [noting("graph", notes)],
    });
    await run(onion, {}, { aspects: [noting("execution", notes)] });
    const names = ["execution", "graph", "node 1", "node 2"];
    expect(notes).toEqual([
      ...names.map((name) => `+${name} n`),
      "body",
      ...names.reverse().map((name) => `-${name} n`),
    ]);
  });

  test("CORE-13 child executions inherit the execution's aspects, not those of the parent's graph", async () => {
    const notes: string[] = [];
    const inner = graph("inner", {
      nodes: [node("n", { aspects: [noting("node", notes)] }, () => as(() => void notes.push("body")))],
      aspects: [noting("inner", notes)],
    });
    const outer = graph("outer", {
      nodes: [mount("m", inner, { aspects: [noting("mount", notes)] })],
      aspects: [noting("outer", notes)],
    });
    await run(outer, {}, { aspects: [noting("execution", notes)] });
    expect(notes.slice(0, 7)).toEqual([
      "+execution m",
      "+outer m",
      "+mount m",
      "+execution m/n",
      "+inner m/n",
      "+node m/n",
      "body",
    ]);
  });

  test("CORE-13 an aspect may call next again", async () => {
    let calls = 0;
    const twice = aspect("twice", async (_context, next) => {
      await next().catch(() => next());
    });
    const flaky = around([twice], () => {
      if (++calls === 1) throw new Error("again");
      return { made: calls };
    });
    expect((await run(flaky, {})).values.made).toBe(2);
  });

  test("CORE-13 an aspect may catch a failure and write the node's keys", async () => {
    const rescuing = aspect("rescuing", async (context, next) => {
      await next().catch(() => context.set(made, 7));
    });
    const failing = around([rescuing], () => {
      throw new Error("no");
    });
    expect((await run(failing, {})).values.made).toBe(7);
  });

  test("CORE-13 an aspect may translate an error: its own is the cause", async () => {
    const translated = new Error("translated");
    const translating = aspect("translating", async (_context, next) => {
      await next().catch(() => Promise.reject(translated));
    });
    const failing = around([translating], () => {
      throw new Error("no");
    });
    expect((await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED")).cause).toBe(translated);
  });

  test("CORE-13 an aspect may raise an error before or after next", async () => {
    const error = new Error("aspect");
    const before = aspect("before", () => {
      throw error;
    });
    const after = aspect("after", async (_context, next) => {
      await next();
      throw error;
    });
    for (const raising of [before, after]) {
      expect((await rejectionOf(run(around([raising]), {}), "PULSE_EXECUTION_FAILED")).cause).toBe(error);
    }
  });

  test("CORE-13 an aspect may answer without calling next: the node is completed by short cut", async () => {
    const log = eventLog();
    const ran: string[] = [];
    const answering = aspect("answering", (context) => context.set(made, 9));
    const cached = graph("cached", {
      outputs: [made, beside],
      nodes: [
        node("cached", { provides: [made, beside], aspects: [answering] }, () =>
          as(() => (ran.push("body"), { made: 1, beside: 1 })),
        ),
      ],
    });
    const outcome = await run(cached, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ made: { state: "ready", value: 9 }, beside: { state: "skipped" } });
    expect([ran, log.reasonOf("cached")]).toEqual([[], "completed"]);
  });

  test("CORE-13 CORE-8 an aspect may skip the node or single keys", async () => {
    const log = eventLog();
    const skipping = aspect("skipping", (context) => context.skip());
    expect((await run(around([skipping]), {}, { observers: [log.observer] })).outputs).toEqual({
      made: { state: "skipped" },
    });
    expect(log.reasonOf("inside")).toBe("skipped");
    const byKey = aspect("by key", (context) => context.skip(made));
    const other = eventLog();
    expect((await run(around([byKey]), {}, { observers: [other.observer] })).outputs).toEqual({
      made: { state: "skipped" },
    });
    expect(other.reasonOf("inside")).toBe("completed");
  });

  test("CORE-13 CORE-7 an aspect sees a skip signal of the body and may answer for it", async () => {
    const rescuing = aspect("rescuing", async (context, next) => {
      await next().catch((error: unknown) => {
        expectCode(error, "PULSE_NO_VALUE");
        context.set(made, 5);
      });
    });
    const skipping = graph("skipping", {
      outputs: [made],
      nodes: [node("n", { provides: [made], aspects: [rescuing] }, (_values, context) => as(() => context.skip()))],
    });
    expect((await run(skipping, {})).values.made).toBe(5);
  });

  test("CORE-13 an aspect reads what the node requires and what its chain has written", async () => {
    const seen: unknown[] = [];
    const reading = aspect("reading", async (context, next) => {
      seen.push(context.get(given), context.nodeId, context.path, context.attempt);
      seen.push(
        context.requires.map(({ name }) => name),
        context.provides.map(({ name }) => name),
      );
      await next();
      seen.push(context.get(made));
    });
    const plain = graph("plain", {
      inputs: [given],
      outputs: [made],
      nodes: [
        node("n", { requires: [optional(given)], provides: [made], aspects: [reading] }, (values) =>
          as(() => ({ made: (values.given ?? 0) + 1 })),
        ),
      ],
    });
    await run(plain, { given: 1 });
    expect(seen).toEqual([1, "n", "n", 1, ["given"], ["made"], 2]);
  });

  test("CORE-9 CORE-13 an aspect cannot write what the node does not provide", async () => {
    const writing = aspect("writing", (context) => context.set(beside, 1));
    const failed = await rejectionOf(run(around([writing]), {}), "PULSE_EXECUTION_FAILED");
    const error = expectCode(failed.cause, "PULSE_USAGE");
    expect([error.message.includes('"beside"'), error.message.includes('"inside"')]).toEqual([true, true]);
  });

  test("CORE-9 CORE-13 an aspect that writes what the body has written fails the node", async () => {
    const writing = aspect("writing", async (context, next) => {
      await next();
      context.set(made, 2);
    });
    const failed = await rejectionOf(run(around([writing]), {}), "PULSE_EXECUTION_FAILED");
    expectCode(failed.cause, "PULSE_USAGE");
  });

  test("CORE-14 an execution switches off the aspects of its whole subtree", async () => {
    const notes: string[] = [];
    const inner = graph("inner", {
      nodes: [
        node("n", { aspects: [noting("node", notes), retry({ limit: 5 })] }, () => as(() => void notes.push("body"))),
      ],
      aspects: [noting("inner", notes)],
    });
    const outer = graph("outer", {
      nodes: [mount("m", inner, { aspects: [noting("mount", notes)] })],
      aspects: [noting("outer", notes)],
    });
    await run(outer, {}, { aspects: false });
    expect(notes).toEqual(["body"]);
  });

  test("CORE-14 without aspects nothing is retried and nothing is timed", async () => {
    let tries = 0;
    const host = fakeHost();
    const failing = around([retry({ limit: 3 }), timeout(10)], () => {
      tries++;
      throw new Error("no");
    });
    await rejectionOf(run(failing, {}, { aspects: false, host }), "PULSE_EXECUTION_FAILED");
    expect([tries, host.delays]).toEqual([1, []]);
  });
});

test("CORE-13 calling next while an earlier call still runs is an error", async () => {
  const hasty = aspect("hasty", async (_context, next) => {
    await Promise.all([next(), next()]);
  });
  const plain = graph("plain", { nodes: [node("n", { aspects: [hasty] }, async () => {})] });
  const failed = await rejectionOf(run(plain, {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain('"n"');
});

test.each([
  ["asynchronously", async (): Promise<void> => Promise.reject(new Error("no"))],
  [
    "synchronously",
    (): void => {
      throw new Error("no");
    },
  ],
])(
  "CORE-13 CORE-15 a next that nobody awaits and that fails %s is an event, no unhandled rejection",
  async (_how, body) => {
    const log = eventLog();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const careless = aspect("careless", (_context, next) => void next());
      const failing = graph("failing", { nodes: [node("n", { aspects: [careless] }, body)] });
      await run(failing, {}, { observers: [log.observer] });
      await turn();
      expect(log.events.filter((event) => event.kind === "late-settled")).toMatchObject([
        { path: "n", error: new Error("no") },
      ]);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
);

test("CORE-13 CORE-15 an aspect that answers before its next is done: what the body writes later is refused", async () => {
  const gate = deferred();
  const hedging = aspect("hedging", async (context, next) => {
    await Promise.race([next(), Promise.resolve()]);
    context.set(made, 1);
  });
  const slow = graph("slow", {
    outputs: [made],
    nodes: [node("n", { provides: [made], aspects: [hedging] }, async () => (await gate.promise, { made: 2 }))],
  });
  const running = run(slow, {}, { host: fakeHost() });
  expect(await hasSettled(running)).toBe(false);
  gate.resolve();
  expect((await running).values.made).toBe(1);
});
