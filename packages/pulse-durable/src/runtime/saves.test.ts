import { PulseError, aspect, graph, mount, node, retry, timeout } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { fakeHost } from "../fake-host.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph, crashGraph, numberKey, start } from "../testing/graphs.ts";
import { deferred, turn, worker } from "../testing/worker.ts";
import { sizeOf } from "./ledger.ts";

const made = numberKey("made");
const call = { runId: "run", version: "1" };

test("DUR-10 DUR-20 a chain of n plain nodes costs n saves and one for the start", async () => {
  for (const length of [1, 10, 100]) {
    const { pulse, store } = worker();
    await pulse.run(chainGraph(length).graph, { start: 0 }, call);
    expect(store.saves).toHaveLength(length + 1);
    // The attempt goes with the commit: entries of a middle save are its attempt and its node.
    const kinds = store.saves.slice(1, -1).map(({ changes }) => changes.map(({ key }) => key.split("/")[0]));
    for (const kind of kinds) expect(kind.toSorted()).toEqual(["attempt", "node"]);
  }
});

test("DUR-2 REC-24 what a node's save costs does not grow with the run", async () => {
  const bytesPerNode = async (length: number): Promise<number> => {
    const { pulse, store } = worker();
    await pulse.run(chainGraph(length).graph, { start: 0 }, call);
    const sizes = store.saves.slice(1, -1).map(({ changes }) => sizeOf(changes));
    return sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  };
  const [few, many] = [await bytesPerNode(10), await bytesPerNode(10_000)];
  expect(many / few).toBeLessThan(1.1);
});

test("DUR-9 nodes that end together while a save is in flight share the next one", async () => {
  const { pulse, store } = worker();
  const keys = Array.from({ length: 50 }, (_, at) => numberKey(`out${at}`));
  const nodes = keys.map((out, at) => node(`n${at}`, { provides: [out] }, () => ({ [out.name]: at })));
  const fan = graph("fan", { outputs: keys, nodes });
  const outcome = await pulse.run(fan, {}, call);
  expect(Object.values(outcome.values)).toEqual(keys.map((_, at) => at));
  expect(store.saves.length).toBeLessThanOrEqual(4);
  const saved = store.saves.flatMap(({ changes }) => changes.filter(({ key }) => key.startsWith("node/")));
  expect(saved).toHaveLength(50);
  // Every key at most once in a save (REC-31).
  for (const { changes } of store.saves) expect(new Set(changes.map(({ key }) => key)).size).toBe(changes.length);
});

test("DUR-9 CKPT-1 nothing is published before the save that holds it is confirmed", async () => {
  const { pulse, store } = worker();
  const { graph: chain } = chainGraph(2, (id) => order.push(id));
  const order: string[] = [];
  store.faults.before = ({ revision }) => void order.push(`save ${revision}`);
  store.faults.after = ({ revision }) => void order.push(`saved ${revision}`);
  await pulse.run(chain, { start: 0 }, call);
  expect(order).toEqual(["save 1", "saved 1", "node0", "save 2", "saved 2", "node1", "save 3", "saved 3"]);
});

test("DUR-20 failing an unsaved try is one save: its root active, the try failed", async () => {
  const { pulse, store } = worker();
  const tries = graph("tries", {
    nodes: [
      node("try", { aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  await pulse.run(tries, {}, call);
  expect(store.saves).toHaveLength(3);
  const attempts = store.saves[1]?.changes.map((change) => change.kind === "put" && change.entry);
  expect(attempts).toMatchObject([
    { boundary: "", state: "active" },
    { boundary: "0", index: 1, limit: 2, state: "failed" },
  ]);
});

test("DUR-20 a mount's attempts are saved with its child scope", async () => {
  const { pulse, store } = worker();
  const child = graph("child", { outputs: [made], nodes: [node("make", { provides: [made] }, () => ({ made: 1 }))] });
  const outer = graph("outer", { outputs: [made], nodes: [mount("child", child, { aspects: [retry({ limit: 2 })] })] });
  await pulse.run(outer, {}, call);
  expect(store.saves[1]?.changes.map(({ key }) => key.split("/")[0]).toSorted()).toEqual([
    "attempt",
    "attempt",
    "scope",
  ]);
  // Start, child scope, the child's node, the mount.
  expect(store.saves).toHaveLength(4);
});

test("DUR-19 D13 a change that is refused is refused alone, and the others of its save go on", async () => {
  const { pulse, store } = worker();
  const begun = deferred();
  const held = deferred();
  const nodes = [
    node("first", {}, () => {}),
    node("good", { provides: [made] }, async () => {
      await begun.promise;
      return { made: 1 };
    }),
    node("bad", { provides: [numberKey("bad")] }, async () => {
      await begun.promise;
      return { bad: (() => 1) as never };
    }),
  ];
  store.faults.before = async ({ revision }) => {
    if (revision !== 2) return;
    begun.resolve();
    await held.promise;
  };
  const ended = rejectionOf("PULSE_RUN_FAILED", pulse.run(graph("mixed", { outputs: [made], nodes }), {}, call));
  await begun.promise;
  await turn();
  held.resolve();
  expect((await ended).details.path).toBe("bad");
  const tree = await pulse.inspect("run");
  expect(tree.root.nodes.map(({ nodeId, state }) => [nodeId, state])).toEqual([
    ["bad", "failed"],
    ["first", "completed"],
    ["good", "completed"],
  ]);
});

test("DUR-21 CKPT-17 when a save errs all waiters get the same error, the session is closed, and nothing more is saved", async () => {
  for (const when of ["before", "after"] as const) {
    const memory = memoryStore();
    const { pulse, store } = worker(memory);
    const cause = new PulseError("PULSE_STORE", "the disk is full", {
      details: { runId: "run", next: "mend-store", medium: "disk" },
    });
    const called: string[] = [];
    const { graph: chain } = chainGraph(4, (id) => called.push(id));
    let seen = 0;
    store.faults[when] = ({ revision }) => {
      seen += 1;
      if (revision === 3) throw cause;
    };
    const error = await rejectionOf("PULSE_CHECKPOINT", pulse.run(chain, { start: 0 }, call));
    expect(error.cause).toBe(cause);
    expect(error.details).toMatchObject({ runId: "run", next: "mend-store", hook: "commit" });
    expect([called, seen, store.closed]).toEqual([["node0", "node1"], 3, 1]);
    // All of that save or nothing of it: the resume reads what is true.
    const outcome = await worker(memory).pulse.resume(chain, { start: 0 }, call);
    expect(outcome.values).toEqual({ link3: 4 });
    expect(called).toEqual(
      when === "after" ? ["node0", "node1", "node2", "node3"] : ["node0", "node1", "node1", "node2", "node3"],
    );
  }
});

test("DUR-21 what is queued behind a save that errs is not saved, and no save is made after it", async () => {
  const memory = memoryStore();
  const { pulse, store } = worker(memory);
  const cause = new Error("the disk is full");
  const begun = deferred();
  const keys = ["a", "b", "c"].map((name) => numberKey(name));
  const nodes = keys.map((out, at) =>
    node(out.name, { provides: [out] }, async () => {
      // The first one is in the save that errs; the others are ready to be saved while it is in flight.
      if (at > 0) await begun.promise;
      return { [out.name]: at };
    }),
  );
  const seen: number[] = [];
  store.faults.before = async ({ revision }) => {
    seen.push(revision);
    if (revision !== 2) return;
    begun.resolve();
    await turn();
    throw cause;
  };
  const fan = graph("fan", { outputs: keys, nodes });
  const error = await rejectionOf("PULSE_CHECKPOINT", pulse.run(fan, {}, call));
  expect(error.cause).toBe(cause);
  expect(error.details.others.filter((other) => other !== cause)).toEqual([]);
  await turn();
  expect([seen, store.closed]).toEqual([[1, 2], 1]);
  expect((await memory.catalog.read("run")).nodes.size).toBe(0);
  expect(Object.values((await worker(memory).pulse.resume(fan, {}, call)).values)).toEqual([0, 1, 2]);
});

test("DUR-21 CKPT-12 no retry and no catch makes a success of a save that erred", async () => {
  const { pulse, store } = worker();
  const cause = new Error("torn");
  const nodes = [
    node(
      "stubborn",
      { provides: [made], aspects: [aspect("catch", (_context, next) => next().catch(() => {})), retry({ limit: 5 })] },
      () => ({
        made: 1,
      }),
    ),
  ];
  store.faults.before = ({ revision }) => {
    if (revision === 2) throw cause;
  };
  const error = await rejectionOf("PULSE_CHECKPOINT", pulse.run(graph("one", { outputs: [made], nodes }), {}, call));
  expect(error.cause).toBe(cause);
  expect(error.details.next).toBe("mend-store");
});

test("DUR-27 a timeout that races with a commit waits for its save and does not make the run uncertain", async () => {
  const host = fakeHost();
  const { pulse, store } = worker(memoryStore(), { host });
  const child = graph("child", { outputs: [made], nodes: [node("make", { provides: [made] }, () => ({ made: 1 }))] });
  const nodes = [mount("child", child, { aspects: [retry({ limit: 2 }), timeout(1_000)] })];
  const held = deferred();
  const aborted: boolean[] = [];
  let hold = true;
  store.faults.before = async (save, signal) => {
    if (!hold || !save.changes.some(({ key }) => key.startsWith("node/"))) return;
    hold = false;
    await held.promise;
    aborted.push(signal?.aborted === true);
  };
  const running = pulse.run(graph("outer", { outputs: [made], nodes }), {}, { ...call, host });
  await host.advance(1_000);
  held.resolve();
  // The first try timed out while its child's commit was in flight; the second goes on.
  expect((await running).values.made).toBe(1);
  expect(aborted).toEqual([false]);
});

test("DUR-27 the save's signal is aborted only when the run is being stopped and the drain time is over", async () => {
  const host = fakeHost();
  const memory = memoryStore();
  const { pulse, store } = worker(memory, { host });
  const { graph: chain } = chainGraph(2);
  let saving: AbortSignal | undefined;
  store.faults.before = ({ revision }, signal) => {
    if (revision !== 2) return undefined;
    saving = signal;
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  const handle = await pulse.start(chain, { start: 0 }, { ...call, drainTimeout: 500 });
  await turn();
  handle.cancel("stop");
  await host.advance(499);
  expect(saving?.aborted).toBe(false);
  await host.advance(1);
  expect(saving?.aborted).toBe(true);
  const error = await rejectionOf("PULSE_INTERRUPTED", handle.wait());
  expect(error.details).toMatchObject({ next: "resume", abandoned: ["node0"] });
  expect((await worker(memory).pulse.resume(chain, { start: 0 }, call)).values).toEqual({ link1: 2 });
});

test("DUR-27 the first save has its signal as well: aborted when the call was cancelled and the drain time is over", async () => {
  const host = fakeHost();
  const { pulse, store } = worker(memoryStore(), { host });
  const { graph: chain } = chainGraph(2);
  const given = deferred<AbortSignal | undefined>();
  store.faults.before = async (_save, signal) => {
    given.resolve(signal);
    await new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("given up"))));
  };
  const stop = new AbortController();
  const running = rejectionOf(
    "PULSE_STORE",
    pulse.run(chain, { start: 0 }, { ...call, drainTimeout: 500, signal: stop.signal }),
  );
  const saving = await given.promise;
  stop.abort(new Error("the host stops"));
  await host.advance(499);
  expect(saving?.aborted).toBe(false);
  await host.advance(1);
  expect(saving?.aborted).toBe(true);
  expect((await running).message).toContain("given up");
  expect(store.closed).toBe(1);
});

test("DUR-26 a queued commit whose mount times out is taken out, and the save before it is not aborted", async () => {
  const host = fakeHost();
  const { pulse, store } = worker(memoryStore(), { host });
  const inChild = deferred();
  const other = numberKey("other");
  const child = graph("child", {
    outputs: [made],
    nodes: [
      node("make", { provides: [made] }, async (_values, { runId }) => {
        inChild.resolve();
        return { made: runId.length };
      }),
    ],
  });
  const saving = deferred();
  const nodes = [
    node("other", { provides: [other] }, async () => {
      await opened.promise;
      return { other: 1 };
    }),
    mount("child", child, { aspects: [retry({ limit: 2 }), timeout(1_000)] }),
  ];
  const opened = deferred();
  const held = deferred();
  const signals: (AbortSignal | undefined)[] = [];
  let hold = true;
  store.faults.before = async (save, signal) => {
    if (save.changes.some(({ key }) => key.startsWith("scope/")) && save.revision > 1) opened.resolve();
    if (!hold || !save.changes.some(({ key }) => key.endsWith("/other"))) return;
    hold = false;
    signals.push(signal);
    saving.resolve();
    await held.promise;
  };
  const running = pulse.run(graph("outer", { outputs: [made, other], nodes }), {}, { ...call, host });
  await saving.promise;
  await inChild.promise;
  await host.advance(1_000);
  held.resolve();
  expect((await running).values).toEqual({ made: 3, other: 1 });
  expect(signals[0]?.aborted).toBe(false);
  const tries = (await pulse.inspect("run")).root.nodes[0]?.attempts[0]?.attempts ?? [];
  expect(tries.map(({ state, child }) => [state, child?.nodes.map((inner) => inner.state)])).toEqual([
    ["failed", []],
    ["active", ["completed"]],
  ]);
});

test("CKPT-33 a body goes on in its own async context, batched saves included", async () => {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const storage = new AsyncLocalStorage<string>();
  const seen: Record<string, string | undefined> = {};
  const keys = ["a", "b", "c"].map((name) => numberKey(name));
  const nodes = keys.map((out) =>
    node(
      out.name,
      {
        provides: [out],
        aspects: [
          aspect("own", async (_context, next) => {
            await storage.run(out.name, next);
          }),
          retry({ limit: 2 }),
        ],
      },
      async (_values, { attempt }) => {
        if (attempt === 1) throw new Error("again");
        // Behind a batched save of all three failures.
        seen[out.name] = storage.getStore();
        return { [out.name]: 1 };
      },
    ),
  );
  await worker().pulse.run(graph("contexts", { outputs: keys, nodes }), {}, call);
  expect(seen).toEqual({ a: "a", b: "b", c: "c" });
});

test("D4 D5 confirming a node that touches no key loses nobody's values", async () => {
  const { pulse } = worker();
  const nodes = [
    node("values", { requires: [start], provides: [made] }, ({ start }) => ({ made: start })),
    node("nothing", {}, () => {}),
    node("after", { requires: [made] }, () => {}),
  ];
  await pulse.run(graph("mixed", { inputs: [start], outputs: [made], nodes }), { start: 3 }, call);
  expect((await pulse.inspect("run")).root.nodes).toMatchObject([
    { nodeId: "after", state: "completed", outputs: [] },
    { nodeId: "nothing", state: "completed", outputs: [] },
    { nodeId: "values", state: "completed", outputs: [{ name: "made", state: "ready" }] },
  ]);
});

test("DUR-28 the count of resumes is in the first save of the resume, and in none if nothing is saved", async () => {
  const memory = memoryStore();
  const graphOf = crashGraph(() => {});
  const dying = worker(memory);
  const dead = dying.diesAt(3, "after");
  void dying.pulse.run(graphOf, { start: 1 }, call).catch(() => {});
  await dead;
  const idle = worker(memory);
  const beforeStart = (): void => {
    throw new Error("stop here");
  };
  await idle.pulse.resume(graphOf, { start: 1 }, { ...call, beforeStart }).catch(() => {});
  expect((await memory.catalog.read("run")).header.resumes).toBe(0);
  const going = worker(memory);
  await going.pulse.resume(graphOf, { start: 1 }, call);
  const headers = going.store.saves.map(({ changes }) => changes.find(({ key }) => key === "header"));
  expect(headers[0]).toMatchObject({ entry: { resumes: 1, status: "running" } });
  expect(headers.slice(1, -1).every((header) => header === undefined)).toBe(true);
  expect((await memory.catalog.read("run")).header).toMatchObject({ resumes: 1, status: "completed" });
});
