import { describe, expect, test } from "vitest";
import { graph, mount, node, retry, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const after = numberKey("after");

/** Counts how many bodies are inside at once. */
function gauge() {
  let inside = 0;
  let most = 0;
  return {
    enter: () => void (most = Math.max(most, ++inside)),
    leave: () => void inside--,
    get most() {
      return most;
    },
    get inside() {
      return inside;
    },
  };
}

const wide = (count: number, body: () => Promise<void>) =>
  Array.from({ length: count }, (_value, index) => node(`n${index}`, {}, body));

test.each([1, 2, 7])("CORE-18 concurrency %i caps the bodies of the whole tree", async (concurrency) => {
  const counting = gauge();
  const body = async (): Promise<void> => {
    counting.enter();
    await turn();
    counting.leave();
  };
  const inner = graph("inner", { nodes: wide(10, body) });
  const outer = graph("outer", { nodes: [...wide(10, body), mount("a", inner, {}), mount("b", inner, {})] });
  await run(outer, {}, { concurrency });
  expect(counting.most).toBe(concurrency);
});

test("CORE-18 without a concurrency all that is ready runs at once", async () => {
  const counting = gauge();
  const gate = deferred();
  const body = async (): Promise<void> => {
    counting.enter();
    await gate.promise;
  };
  const running = run(graph("wide", { nodes: wide(50, body) }), {});
  await turn();
  expect(counting.inside).toBe(50);
  gate.resolve();
  await running;
});

describe.each(bothWays)("$how", ({ as }) => {
  test("G6 CORE-18 a mount holds no place: concurrency 1 does not lock up", async () => {
    const innermost = graph("innermost", {
      outputs: [made],
      nodes: [node("make", { provides: [made] }, () => as(() => ({ made: 1 })))],
    });
    const inner = graph("inner", { outputs: [made], nodes: [mount("deep", innermost)] });
    const outer = graph("outer", {
      outputs: [after],
      nodes: [
        mount("child", inner, { aspects: [retry({ limit: 2 })] }),
        node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
      ],
    });
    expect((await run(outer, {}, { concurrency: 1 })).values.after).toBe(2);
  });

  test("CORE-18 a waiting node holds no place", async () => {
    const gate = deferred();
    const chain = graph("chain", {
      outputs: [after],
      nodes: [
        node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
        node("make", { provides: [made] }, async () => (await gate.promise, { made: 1 })),
      ],
    });
    const running = run(chain, {}, { concurrency: 1 });
    gate.resolve();
    expect((await running).values.after).toBe(2);
  });
});

test("CORE-18 a body between two tries of a retry holds no place", async () => {
  const host = fakeHost();
  const order: string[] = [];
  const sharing = graph("sharing", {
    nodes: [
      node("tries", { aspects: [retry({ limit: 2, delay: 1_000 })] }, async (_values, { attempt }) => {
        order.push(`try ${attempt}`);
        if (attempt === 1) throw new Error("again");
      }),
      node("other", {}, async () => void order.push("other")),
    ],
  });
  const running = run(sharing, {}, { concurrency: 1, host });
  await turn();
  expect(order).toEqual(["try 1", "other"]);
  await host.advance(1_000);
  await running;
  expect(order).toEqual(["try 1", "other", "try 2"]);
});

test.each([0, -1, 1.5, Number.NaN, "2"])(
  "CORE-29 CORE-18 a concurrency of %s is refused before anything runs",
  async (concurrency) => {
    const started: string[] = [];
    const one = graph("one", { nodes: [node("one", {}, () => void started.push("one"))] });
    const refused = await rejectionOf(run(one, {}, { concurrency: concurrency as number }), "PULSE_INVALID");
    expect(refused.details.problems.map(({ code }) => code)).toEqual(["PULSE_OPTION_INVALID"]);
    expect(started).toEqual([]);
  },
);
