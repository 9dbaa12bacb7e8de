import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { graph, mount, node, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";

const given = numberKey("given");
const made = numberKey("made");
const after = numberKey("after");

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Counts the controllers made from now on. */
function countControllers(): () => number {
  let count = 0;
  class Counted extends AbortController {
    constructor() {
      super();
      count++;
    }
  }
  vi.stubGlobal("AbortController", Counted);
  return () => count;
}

describe.each(bothWays)("$how", ({ as }) => {
  const inner = graph("inner", {
    inputs: [given],
    outputs: [made],
    nodes: [node("make", { requires: [given], provides: [made] }, (values) => as(() => ({ made: values.given + 1 })))],
  });
  const plain = graph("plain", {
    inputs: [given],
    outputs: [after],
    nodes: [
      mount("child", inner),
      node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
    ],
  });

  test("CORE-35 no AbortController, race, any or timer is on the path of nodes that need none", async () => {
    const controllers = countControllers();
    const host = fakeHost();
    const race = vi.spyOn(Promise, "race");
    const any = vi.spyOn(AbortSignal, "any");
    const timer = vi.spyOn(globalThis, "setTimeout");
    const stored = vi.spyOn(AsyncLocalStorage.prototype, "run");
    const { values } = await run(plain, { given: 1 }, { host, concurrency: 1 });
    const [races, anys, timers, storages] = [race, any, timer, stored].map((spy) => spy.mock.calls.length);
    vi.restoreAllMocks();
    expect(values.after).toBe(3);
    expect([controllers(), races, anys, timers, storages, host.delays.length]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("CORE-35 the caller's signal costs no controller either", async () => {
    const { signal } = new AbortController();
    const controllers = countControllers();
    await run(plain, { given: 1 }, { signal });
    expect(controllers()).toBe(0);
  });

  test("CORE-35 the signal of a node is made when it is first read, and once", async () => {
    const controllers = countControllers();
    const seen: boolean[] = [];
    const reading = graph("reading", {
      nodes: [
        node("reads", {}, (_values, context) => as(() => void seen.push(context.signal === context.signal))),
        node("does not", {}, () => as(() => {})),
      ],
    });
    await run(reading, {});
    expect(seen).toEqual([true]);
    expect(controllers()).toBe(1);
  });
});
