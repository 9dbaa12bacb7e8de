import { expect, test } from "vitest";
import { aspect, execution, graph, key, mount, node, retry, timeout, type } from "../index.ts";
import { stream } from "../streams/index.ts";
import { aborted, deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, rejection, thrownBy } from "../testing/rejection.ts";
import { hooksOver, recorded, restoring } from "../testing/restored-streams.ts";
import { checkpoint, restoreNodes, scopeFailure } from "./index.ts";
import type { RestorePlan } from "./index.ts";

const lines = stream("lines", type<string>("string"), { capacity: 2, position: type<number>("number") });
const seen = key("seen", type<readonly string[]>("strings"));

const read = node("read", { requires: [lines], provides: [seen] }, async (values) => {
  const all: string[] = [];
  for await (const value of values.lines.values()) all.push(value);
  return { seen: all };
});
const write = node("write", { provides: [lines], resumable: true }, async (_values, { open }) => {
  const writer = await open(lines);
  for (let at = (writer.position() ?? 0) + 1; at <= 4; at++) await writer.sendAt(at, `m${at}`);
});
const flat = graph("flat", { nodes: [write, read], outputs: [seen] });

test("CKPT-26 an open stream is read before its writer's body runs again, and goes on from its position", async () => {
  const gate = deferred();
  const early: string[] = [];
  const first = node("read", { requires: [lines] }, async (values) => {
    for await (const value of values.lines.values()) {
      early.push(value);
      if (value === "m2") gate.resolve();
    }
  });
  const late = node("write", { provides: [lines], resumable: true }, async (_values, { open }) => {
    await gate.promise;
    const writer = await open(lines);
    expect(writer.position()).toBe(2);
    for (const at of [3, 4]) await writer.sendAt(at, `m${at}`);
  });
  const restored = recorded({
    path: "write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/read", pending: [2] }],
  });
  const { running } = restoring(graph("flat", { nodes: [late, first] }), { nodes: [], streams: [restored] });
  running.start();
  await running.wait();
  expect(early).toEqual(["m2", "m3", "m4"]);
});

test("STR-23 CKPT-25 a completed source has its end and its rest before its node's only event, and its writer does not run", async () => {
  const restored = recorded({
    path: "write",
    key: "lines",
    last: 3,
    end: "completed",
    groups: [{ name: "/read", pending: [1, 3] }],
  });
  const log = eventLog();
  const states: unknown[] = [];
  const { running, hooks } = restoring(
    flat,
    {
      nodes: [
        {
          nodeId: "write",
          reason: "completed",
          outputs: [{ name: "lines", state: "stream", sourceId: restored.sourceId }],
        },
      ],
      streams: [restored],
    },
    {},
    { observers: [log.observer] },
  );
  running.observe(({ kind, path }) => {
    if (kind === "node-finished" && path === "write") states.push(running.snapshot().streams);
  });
  running.start();
  expect(await running.wait()).toMatchObject({ values: { seen: ["m1", "m3"] } });
  expect(states).toMatchObject([[{ state: "completed", sent: 3, groups: [{ frontier: 0, pending: 2 }] }]]);
  expect(log.lines("write")).toHaveLength(1);
  expect(hooks.calls).not.toContain("open write");
});

const inner = graph("inner", { nodes: [write], outputs: [lines] });
const outLines = stream("outLines", type<string>("string"), { capacity: 2 });
const outer = graph("outer", {
  nodes: [
    mount("child", inner, { out: { lines: outLines } }),
    node("read", { requires: [outLines], provides: [seen] }, async (values) => {
      const all: string[] = [];
      for await (const value of values.outLines.values()) all.push(value);
      return { seen: all };
    }),
  ],
  outputs: [seen],
});

test("CKPT-29 a mount that was not confirmed passes its restored stream outward again", async () => {
  const restored = recorded({
    path: "child/write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/read", pending: [2] }],
  });
  const hooks = hooksOver([restored], { openChild: async () => ({ nodes: [], streams: [restored] }) });
  const running = execution(outer, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
  restoreNodes(running, { nodes: [], streams: [] });
  running.start();
  expect(await running.wait()).toMatchObject({ values: { seen: ["m2", "m3", "m4"] } });
});

test("STR-12 a mount's further name is confirmed as the same source, and another one is a reliable failure", async () => {
  const restored = recorded({
    path: "child/write",
    key: "lines",
    last: 4,
    position: 4,
    groups: [{ name: "/read", pending: [4] }],
  });
  const start = (sourceId: string) => {
    const named: unknown[] = [];
    const hooks = hooksOver([restored], {
      openChild: async () => ({ nodes: [], streams: [restored] }),
      commit: async ({ outputs, path }) =>
        outputs.map((output) => {
          const { name } = output.key;
          if (output.state !== "stream") return { name, state: "ready", read: () => [] };
          named.push([path, name, output.stream.sourceId]);
          return { name, state: "stream", sourceId: path === "child" ? sourceId : output.stream.sourceId };
        }),
    });
    const running = execution(outer, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
    restoreNodes(running, { nodes: [], streams: [] });
    running.start();
    return { named, running };
  };
  const good = start(restored.sourceId);
  await good.running.wait();
  expect(good.named).toEqual([
    ["child/write", "lines", restored.sourceId],
    ["child", "outLines", restored.sourceId],
  ]);
  const bad = start("another");
  expectCode(await rejection(bad.running.wait()), "PULSE_CHECKPOINT");
});

test("STR-35 STR-12 a confirmed alias has the source that its writer's scope opens later, and no other", async () => {
  const pass = graph("pass", { nodes: [], inputs: [outLines], outputs: [outLines] });
  const third = stream("third", type<string>("string"), { capacity: 2 });
  const both = graph("both", {
    nodes: [
      mount("child", inner, { out: { lines: outLines } }),
      mount("pass", pass, { in: { outLines }, out: { outLines: third } }),
      node("read", { requires: [third], provides: [seen] }, async (values) => {
        const all: string[] = [];
        for await (const value of values.third.values()) all.push(value);
        return { seen: all };
      }),
    ],
    outputs: [seen],
  });
  const restored = recorded({
    path: "child/write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/read", pending: [1, 2] }],
  });
  const start = (inChild: typeof restored) => {
    const plan: RestorePlan = {
      nodes: [
        {
          nodeId: "pass",
          reason: "completed",
          outputs: [{ name: "third", state: "stream", sourceId: restored.sourceId }],
        },
      ],
      streams: [restored],
    };
    const { running } = restoring(both, plan, { openChild: async () => ({ nodes: [], streams: [inChild] }) });
    running.start();
    return running.wait();
  };
  expect(await start(restored)).toMatchObject({ values: { seen: ["m1", "m2", "m3", "m4"] } });
  const error = expectCode(await rejection(start({ ...restored, generation: 7 })), "PULSE_CHECKPOINT");
  expect(String(error.cause)).toContain("its generation is 7, and 2 elsewhere");
});

test("STR-27 STR-51 a confirmed alias of a failed source gives its readers the failure, holds nothing and opens nothing", async () => {
  const failed = recorded({ path: "child/write", key: "lines", last: 3, end: "failed", groups: [] });
  const { running, hooks } = restoring(outer, {
    nodes: [
      {
        nodeId: "child",
        reason: "completed",
        outputs: [{ name: "outLines", state: "stream", sourceId: failed.sourceId }],
      },
    ],
    streams: [failed],
  });
  running.start();
  const error = expectCode(await rejection(running.wait()), "PULSE_EXECUTION_FAILED");
  expectCode(error.cause, "PULSE_STREAM_FAILED");
  expect(hooks.calls).toEqual([]);
  const refused = recorded({ path: "write", key: "lines", last: 3, end: "failed", groups: [] });
  const wrong = expectCode(
    thrownBy(() =>
      restoring(flat, {
        nodes: [
          {
            nodeId: "write",
            reason: "completed",
            outputs: [{ name: "lines", state: "stream", sourceId: refused.sourceId }],
          },
        ],
        streams: [refused],
      }),
    ),
    "PULSE_INVALID",
  );
  expect(wrong.message).toContain("a node that has ended has completed its streams");
});

test("STR-45 the streams inside a retried mount are new with each try; the ones before it are not read any more", async () => {
  const got: string[] = [];
  let tries = 0;
  const inTry = graph("inTry", {
    nodes: [
      node("write", { provides: [lines], resumable: true }, async (_values, { open }) => {
        const writer = await open(lines);
        expect(writer.position()).toBe(tries === 0 ? 2 : undefined);
        await writer.sendAt(1, `try ${++tries}`);
      }),
      node("read", { requires: [lines] }, async (values) => {
        for await (const value of values.lines.values()) {
          got.push(value);
          if (value === "try 1") throw new Error("again");
        }
      }),
    ],
  });
  const retried = graph("retried", { nodes: [mount("child", inTry, { aspects: [retry({ limit: 2 })] })] });
  const restored = recorded({
    path: "child/write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/child/read", pending: [2] }],
  });
  const hooks = hooksOver([restored], {
    openChild: async ({ attempt }) => ({ nodes: [], streams: attempt.endsWith("#1") ? [restored] : [] }),
  });
  const running = execution(retried, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
  restoreNodes(running, { nodes: [], streams: [] });
  running.start();
  await running.wait();
  expect(got).toEqual(["m2", "try 1", "try 2"]);
});

test("STR-21 a mount that is run again in the same scope has its recorded stream again, in the same generation", async () => {
  const got: string[] = [];
  const inside = graph("inside", {
    nodes: [
      write,
      node("read", { requires: [lines] }, async (values, { signal }) => {
        for await (const value of values.lines.values()) {
          if (got.push(value) === 1) await aborted(signal);
        }
      }),
    ],
  });
  const host = fakeHost();
  const twice = aspect("twice", async (_context, next) => next().catch(next));
  const restored = recorded({
    path: "child/write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/child/read", pending: [2] }],
  });
  // What the first try sent is recorded.
  const later = recorded({
    path: "child/write",
    key: "lines",
    last: 4,
    position: 4,
    groups: [{ name: "/child/read", pending: [2, 3, 4] }],
  });
  const opened = [restored, later];
  const hooks = hooksOver([restored], {
    openChild: async () => ({ nodes: [], streams: [opened.shift() ?? later] }),
  });
  const running = execution(
    graph("again", { nodes: [mount("child", inside, { aspects: [twice, timeout(100)] })] }),
    {},
    { host, checkpoint: checkpoint({ scope: "root", hooks }) },
  );
  restoreNodes(running, { nodes: [], streams: [] });
  running.start();
  await turn();
  await host.advance(100);
  await running.wait();
  expect(got).toEqual(["m2", "m2", "m3", "m4"]);
});

test("CKPT-13 a failed child scope installs no stream of the child", async () => {
  const hooks = hooksOver([], {
    openChild: async ({ attempt, path }) => {
      throw scopeFailure(attempt, path);
    },
  });
  const running = execution(outer, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
  restoreNodes(running, { nodes: [], streams: [] });
  running.start();
  expectCode(await rejection(running.wait()), "PULSE_EXECUTION_FAILED");
  expect(running.snapshot().streams).toEqual([]);
});

test("CKPT-26 a reader is restored whose writer is not, and it has left its group as the record has it", async () => {
  const restored = recorded({
    path: "write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/read", pending: [] }],
    stopped: ["/read"],
  });
  const { running } = restoring(flat, {
    nodes: [{ nodeId: "read", reason: "completed", outputs: [{ name: "seen", state: "ready", read: () => ["m1"] }] }],
    streams: [restored],
  });
  running.start();
  expect(await running.wait()).toMatchObject({ values: { seen: ["m1"] } });
  expect(running.snapshot().streams).toMatchObject([{ sent: 2, state: "completed", groups: [{ state: "stopped" }] }]);
});
