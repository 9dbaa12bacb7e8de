import { expect, test } from "vitest";
import { execution, graph, limiter, mount, node, retry, run, timeout } from "../index.ts";
import { aborted, deferred, hasSettled, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";

test.each([1, 3])("CORE-18 a limiter of %i caps all the nodes and executions that share it", async (places) => {
  const shared = limiter(places);
  let inside = 0;
  let most = 0;
  const body = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await turn();
    inside--;
  };
  const wide = graph("wide", { nodes: ["a", "b", "c", "d"].map((id) => node(id, { aspects: [shared] }, body)) });
  const outer = graph("outer", { nodes: [mount("m", wide), node("own", { aspects: [shared] }, body)] });
  await Promise.all([run(outer, {}), run(wide, {})]);
  expect([most, inside]).toEqual([places, 0]);
});

test("CORE-18 two limiters are two queues", async () => {
  let inside = 0;
  let most = 0;
  const body = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await turn();
    inside--;
  };
  await run(graph("two", { nodes: ["a", "b"].map((id) => node(id, { aspects: [limiter(1)] }, body)) }), {});
  expect(most).toBe(2);
});

test("G6 CORE-18 a limiter of 1 around a mount and its child does not lock up", async () => {
  const shared = limiter(1);
  const ran: string[] = [];
  const inner = graph("inner", { nodes: [node("n", { aspects: [shared] }, async () => void ran.push("inner"))] });
  const outer = graph("outer", {
    nodes: [
      mount("m", inner, { aspects: [shared] }),
      node("n", { aspects: [shared] }, async () => void ran.push("outer")),
    ],
  });
  await run(outer, {}, { concurrency: 1 });
  expect(ran.sort()).toEqual(["inner", "outer"]);
});

/** Three executions of one node each on a limiter of 1: the first runs, the others wait in their order. */
async function queueOfThree() {
  const shared = limiter(1);
  const gates = [deferred(), deferred(), deferred()];
  const started: number[] = [];
  const handles = gates.map((gate, index) =>
    execution(
      graph("one", {
        nodes: [
          node("n", { aspects: [shared] }, async (_values, { signal }) => {
            started.push(index);
            await Promise.race([gate.promise, aborted(signal)]);
          }),
        ],
      }),
      {},
    ),
  );
  for (const handle of handles) handle.start();
  await turn();
  return { handles: handles as [(typeof handles)[0], (typeof handles)[0], (typeof handles)[0]], gates, started };
}

test("CORE-18 places are given first come, first served", async () => {
  const { handles, gates, started } = await queueOfThree();
  for (const gate of gates) {
    gate.resolve();
    await turn();
  }
  await Promise.all(handles.map((handle) => handle.wait()));
  expect(started).toEqual([0, 1, 2]);
});

test.each(["before the place is free", "after the place was handed over"])(
  "G4 CORE-18 a waiter is cancelled in the same step, %s: the next waiter gets the place",
  async (moment) => {
    const { handles, gates, started } = await queueOfThree();
    const [first, second, third] = handles;
    const cancelled = rejectionOf(second.wait(), "PULSE_INTERRUPTED");
    if (moment.startsWith("before")) second.cancel("no more");
    gates[0]?.resolve();
    await first.wait();
    if (moment.startsWith("after")) second.cancel("no more");
    await cancelled;
    gates[2]?.resolve();
    await third.wait();
    expect(started.at(-1)).toBe(2);
  },
);

test("G4 CORE-18 a waiter that is cancelled in the very microtask of the hand-over loses no place", async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    const { handles, gates, started } = await queueOfThree();
    const [first, second, third] = handles;
    const cancelled = rejectionOf(second.wait(), "PULSE_INTERRUPTED");
    gates[0]?.resolve();
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    second.cancel("no more");
    gates[2]?.resolve();
    await Promise.all([first.wait(), cancelled, third.wait()]);
    expect(started.at(-1)).toBe(2);
  }
});

test("G5 CORE-18 an already aborted signal for a queued node, and abort of a running and a waiting node at once", async () => {
  const { handles, gates, started } = await queueOfThree();
  const [first, second, third] = handles;
  const ended = [first, second].map((handle) => rejectionOf(handle.wait(), "PULSE_INTERRUPTED"));
  first.cancel("both");
  second.cancel("both");
  expect((await Promise.all(ended)).map(({ cause }) => cause)).toEqual(["both", "both"]);
  gates[2]?.resolve();
  await third.wait();
  expect(started).toEqual([0, 2]);
});

test("G5 CORE-18 a node whose execution is aborted already takes no place of a full limiter", async () => {
  const shared = limiter(1);
  const gate = deferred();
  const holding = run(graph("holding", { nodes: [node("holds", { aspects: [shared] }, () => gate.promise)] }), {});
  const refused = run(
    graph("refused", { nodes: [node("n", { aspects: [shared] }, () => {})] }),
    {},
    { signal: AbortSignal.abort("gone") },
  );
  expect((await rejectionOf(refused, "PULSE_INTERRUPTED")).cause).toBe("gone");
  const next = run(graph("next", { nodes: [node("n", { aspects: [shared] }, () => {})] }), {});
  expect(await hasSettled(next)).toBe(false);
  gate.resolve();
  await Promise.all([holding, next]);
});

test("CORE-15 CORE-18 a timeout around a limiter ends the wait in its queue", async () => {
  const host = fakeHost();
  const shared = limiter(1);
  const gate = deferred();
  const holding = run(graph("holding", { nodes: [node("holds", { aspects: [shared] }, () => gate.promise)] }), {});
  const started: string[] = [];
  const impatient = graph("impatient", {
    nodes: [node("n", { aspects: [timeout(10), shared] }, () => void started.push("impatient"))],
  });
  const waiting = rejectionOf(run(impatient, {}, { host }), "PULSE_EXECUTION_FAILED");
  await host.advance(10);
  expectCode((await waiting).cause, "PULSE_TIMEOUT");
  gate.resolve();
  await holding;
  await run(graph("next", { nodes: [node("n", { aspects: [shared] }, () => void started.push("next"))] }), {});
  expect(started).toEqual(["next"]);
});

test.each(["inside", "outside"])(
  "CORE-16 CORE-18 a retry %s a limiter of 1 tries again and gives the place back",
  async (where) => {
    const shared = limiter(1);
    const host = fakeHost();
    const trying = retry({ limit: 3, delay: 5 });
    const tries: string[] = [];
    const flaky = (id: string) =>
      node(id, { aspects: where === "inside" ? [shared, trying] : [trying, shared] }, async (_values, { attempt }) => {
        tries.push(`${id}${attempt}`);
        if (attempt < 3) throw new Error("again");
      });
    const running = run(graph("two", { nodes: [flaky("a"), flaky("b")] }), {}, { host });
    await host.advance(100);
    await running;
    expect([...tries].sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
    // Between two tries the place is the other's (CORE-18).
    expect(tries.slice(0, 2)).toEqual(["a1", "b1"]);
  },
);

test("CORE-18 a failing body gives its place back", async () => {
  const shared = limiter(1);
  for (let count = 0; count < 3; count++) {
    const failing = graph("failing", {
      nodes: [node("n", { aspects: [shared] }, () => Promise.reject(new Error("no")))],
    });
    await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED");
    const throwing = graph("throwing", {
      nodes: [
        node("n", { aspects: [shared] }, () => {
          throw new Error("no");
        }),
      ],
    });
    await rejectionOf(run(throwing, {}), "PULSE_EXECUTION_FAILED");
  }
  expect((await run(graph("fine", { nodes: [node("n", { aspects: [shared] }, () => {})] }), {})).outputs).toEqual({});
});

test.each([0, -1, 1.5, Number.NaN])("CORE-18 a limiter of %s places is refused where it is made", (places) => {
  expectCode(
    thrownBy(() => limiter(places)),
    "PULSE_INVALID",
  );
});
