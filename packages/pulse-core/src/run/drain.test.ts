import { expect, test } from "vitest";
import { execution, graph, mount, node, retry, run, timeout } from "../index.ts";
import { deferred, hasSettled, never, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const failure = new Error("first");

const stubborn = () => {
  const inner = graph("inner", { inputs: [], outputs: [], nodes: [node("ignores", {}, () => never())] });
  return graph("stubborn", {
    inputs: [],
    outputs: [],
    nodes: [
      node("ignores", {}, () => never()),
      mount("child", inner, {}),
      node("fails", {}, async () => {
        await turn();
        throw failure;
      }),
    ],
  });
};

test.each([
  ["ten seconds by default", {}, 10_000],
  ["the host's limit", { drainTimeout: 250 }, 250],
])(
  "G11 CORE-30 a run whose bodies ignore their signals settles after %s, naming them",
  async (_name, options, limit) => {
    const host = fakeHost();
    const log = eventLog();
    const running = rejectionOf(
      run(stubborn(), {}, { host, observers: [log.observer], ...options }),
      "PULSE_EXECUTION_FAILED",
    );
    await host.advance(limit - 1);
    expect(await hasSettled(running)).toBe(false);
    await host.advance(1);
    const failed = await running;
    expect(failed.cause).toBe(failure);
    expect([...failed.details.abandoned].sort()).toEqual(["child/ignores", "ignores"]);
    expect(host.armed).toBe(0);
    expect(log.reasonOf("ignores")).toBe("canceled");
  },
);

test("CORE-30 a drain limit of zero settles at once", async () => {
  const host = fakeHost();
  const running = rejectionOf(run(stubborn(), {}, { host, drainTimeout: 0 }), "PULSE_EXECUTION_FAILED");
  await host.advance(0);
  expect((await running).details.abandoned).toContain("ignores");
});

test("CORE-30 an interrupted run names the abandoned as well", async () => {
  const host = fakeHost();
  const handle = execution(
    graph("one", { inputs: [], outputs: [], nodes: [node("ignores", {}, () => never())] }),
    {},
    { host },
  );
  handle.start();
  await turn();
  handle.cancel("enough");
  const waiting = rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  await host.advance(10_000);
  expect((await waiting).details.abandoned).toEqual(["ignores"]);
});

test("CORE-30 CORE-15 a completed run waits for a body that a timeout gave up, and names it when it never ends", async () => {
  const host = fakeHost();
  const giving = graph("giving", {
    inputs: [],
    outputs: [made],
    nodes: [
      node("hangs", { provides: [made], aspects: [retry({ limit: 2 }), timeout(10)] }, async (_values, { attempt }) => {
        if (attempt === 1) await never();
        return { made: attempt };
      }),
    ],
  });
  const running = run(giving, {}, { host });
  await host.advance(10);
  expect(await hasSettled(running)).toBe(false);
  await host.advance(10_000);
  const outcome = await running;
  expect([outcome.values.made, outcome.abandoned]).toEqual([2, ["hangs"]]);
  expect(host.armed).toBe(0);
});

test("CORE-30 CORE-15 a completed run settles as soon as the given-up body ends", async () => {
  const host = fakeHost();
  const gate = deferred();
  const giving = graph("giving", {
    inputs: [],
    outputs: [made],
    nodes: [
      node("hangs", { provides: [made], aspects: [retry({ limit: 2 }), timeout(10)] }, async (_values, { attempt }) => {
        if (attempt === 1) await gate.promise;
        return { made: attempt };
      }),
    ],
  });
  const running = run(giving, {}, { host });
  await host.advance(10);
  gate.resolve();
  expect((await running).abandoned).toEqual([]);
  expect(host.armed).toBe(0);
});

test("CORE-30 CORE-32 what an abandoned body does after the end changes nothing and goes unhandled nowhere", async () => {
  const host = fakeHost();
  const log = eventLog();
  const gate = deferred();
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const late = graph("late", {
      inputs: [],
      outputs: [],
      nodes: [
        node("late", {}, async () => {
          await gate.promise;
          throw new Error("too late");
        }),
        node("fails", {}, async () => Promise.reject(failure)),
      ],
    });
    const running = rejectionOf(
      run(late, {}, { host, drainTimeout: 5, observers: [log.observer] }),
      "PULSE_EXECUTION_FAILED",
    );
    await host.advance(5);
    const failed = await running;
    const others = [...failed.details.others];
    gate.resolve();
    await turn();
    await turn();
    expect(failed.details.others).toEqual(others);
    expect(log.events.filter(({ kind }) => kind === "execution-finished")).toHaveLength(1);
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("CORE-36 CORE-30 cancelling while only a given-up body is left ends at once and keeps every verdict", async () => {
  const host = fakeHost();
  const hanging = graph("hanging", {
    inputs: [],
    outputs: [made],
    nodes: [
      node("slow", { provides: [made], aspects: [retry({ limit: 2 }), timeout(5)] }, ({ ...none }, { attempt }) =>
        attempt === 1 ? never<{ made: number }>() : { made: Object.keys(none).length },
      ),
    ],
  });
  const handle = execution(hanging, {}, { host });
  handle.start();
  await host.advance(5);
  expect(await hasSettled(handle.wait())).toBe(false);
  handle.cancel("no time");
  const outcome = await handle.wait();
  expect(outcome.values.made).toBe(0);
  expect(outcome.abandoned).toEqual(["slow"]);
  expect(host.armed).toBe(0);
});
