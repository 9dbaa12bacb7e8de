import { describe, expect, test } from "vitest";
import { aspect, execution, graph, mount, node, retry, run, timeout, type Next } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, never, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const failure = new Error("first");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-37 an aspect that calls next after the first failure starts no body", async () => {
    const gate = deferred();
    const started: string[] = [];
    const slow = aspect("slow", async (_context, next) => {
      await gate.promise;
      await next();
    });
    const inner = graph("inner", { nodes: [node("n", {}, () => as(() => void started.push("inner")))] });
    const failing = graph("failing", {
      nodes: [
        node("held", { aspects: [slow] }, () => as(() => void started.push("held"))),
        mount("child", inner, { aspects: [slow] }),
        node("fails", {}, async () => {
          await turn();
          throw failure;
        }),
      ],
    });
    const running = rejectionOf(run(failing, {}, { host: fakeHost() }), "PULSE_EXECUTION_FAILED");
    await turn();
    gate.resolve();
    expect((await running).cause).toBe(failure);
    expect(started).toEqual([]);
  });

  test("CORE-30 CORE-37 an aspect that calls next after the cancellation starts no body", async () => {
    const gate = deferred();
    const started: string[] = [];
    const slow = aspect("slow", async (_context, next) => {
      await gate.promise;
      await next();
    });
    const held = graph("held", { nodes: [node("n", { aspects: [slow] }, () => as(() => void started.push("n")))] });
    const handle = execution(held, {}, { host: fakeHost() });
    handle.start();
    handle.cancel("enough");
    gate.resolve();
    expect((await rejectionOf(handle.wait(), "PULSE_INTERRUPTED")).cause).toBe("enough");
    expect(started).toEqual([]);
  });

  test("CORE-15 an aspect that calls next after a timeout around it starts no body", async () => {
    const host = fakeHost();
    const gate = deferred();
    const started: number[] = [];
    let calls = 0;
    const slowOnce = aspect("slow once", async (_context, next) => {
      if (++calls === 1) await gate.promise;
      await next();
    });
    const held = graph("held", {
      nodes: [
        node("n", { aspects: [retry({ limit: 2 }), timeout(10), slowOnce] }, (_values, { attempt }) =>
          as(() => void started.push(attempt)),
        ),
      ],
    });
    const running = run(held, {}, { host });
    await host.advance(10);
    gate.resolve();
    await host.advance(10_000);
    await running;
    expect(started).toEqual([2]);
  });

  test("CORE-12 CORE-13 a next that is kept and called after its node has finished runs nothing", async () => {
    const started: string[] = [];
    const kept: Next[] = [];
    const keeping = aspect("keeping", (_context, next) => void kept.push(next));
    await run(graph("g", { nodes: [node("n", { aspects: [keeping] }, () => as(() => void started.push("n")))] }), {});
    const late = await kept[0]?.().then(
      () => "ran",
      () => "refused",
    );
    expect([late, started]).toEqual(["refused", []]);
  });
});

test("CORE-13 calling next of a mount while an earlier call still runs is an error", async () => {
  const gate = deferred();
  const hasty = aspect("hasty", async (_context, next) => {
    await Promise.all([next(), next()]);
  });
  const inner = graph("inner", { nodes: [node("n", {}, () => gate.promise)] });
  const outer = graph("outer", { nodes: [mount("m", inner, { aspects: [hasty] })] });
  const running = rejectionOf(run(outer, {}, { host: fakeHost() }), "PULSE_EXECUTION_FAILED");
  await turn();
  gate.resolve();
  expect((await running).cause).toMatchObject({ code: "PULSE_USAGE", details: { rule: "CORE-13", path: "m" } });
});

test("CORE-30 CORE-15 of two given-up bodies of one node, the one that never ends is named", async () => {
  const host = fakeHost();
  const gate = deferred();
  const giving = graph("giving", {
    nodes: [
      node("n", { aspects: [retry({ limit: 3 }), timeout(10)] }, async (_values, { attempt }) => {
        if (attempt === 1) await gate.promise;
        if (attempt === 2) await never();
      }),
    ],
  });
  const running = run(giving, {}, { host });
  await host.advance(10);
  await host.advance(10);
  gate.resolve();
  await host.advance(10_000);
  expect((await running).abandoned).toEqual(["n"]);
});

test("CORE-30 CORE-22 a body deep in a child that a timeout gave up is named by its own path", async () => {
  const host = fakeHost();
  let tries = 0;
  const inner = graph("inner", { nodes: [node("n", {}, () => (++tries === 1 ? never<void>() : undefined))] });
  const outer = graph("outer", { nodes: [mount("m", inner, { aspects: [retry({ limit: 2 }), timeout(10)] })] });
  const running = run(outer, {}, { host });
  await host.advance(10);
  await host.advance(10_000);
  expect((await running).abandoned).toEqual(["m/n"]);
});

test.each(["answers", "throws"])(
  "CORE-13 CORE-37 an aspect that %s while the child of its mount runs: nothing more begins in there",
  async (how) => {
    const gate = deferred();
    const begun = deferred();
    const ran: string[] = [];
    const inner = graph("inner", {
      outputs: [made],
      nodes: [
        node("first", { provides: [made] }, async () => {
          begun.resolve();
          await gate.promise;
          return { made: 1 };
        }),
        node("second", { requires: [made] }, () => void ran.push("second")),
      ],
    });
    const bad = new Error("bad");
    const hasty = aspect("hasty", async (_context, next) => {
      next().catch(() => {});
      await begun.promise;
      if (how === "throws") throw bad;
    });
    const running = run(graph("outer", { nodes: [mount("m", inner, { aspects: [hasty] })] }), {});
    await begun.promise;
    await turn();
    gate.resolve();
    if (how === "throws") expect((await rejectionOf(running, "PULSE_EXECUTION_FAILED")).cause).toBe(bad);
    else expect((await running).abandoned).toEqual([]);
    expect(ran).toEqual([]);
  },
);
