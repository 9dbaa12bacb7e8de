import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { graph, mount, node, retry, run, timeout } from "../index.ts";
import { turn } from "../testing/deferred.ts";
import { heapBytes } from "../testing/garbage.ts";
import { numberKey } from "../testing/keys.ts";

const given = numberKey("given");
const made = numberKey("made");
const inner = graph("inner", {
  inputs: [given],
  outputs: [made],
  nodes: [node("make", { requires: [given], provides: [made] }, (values) => ({ made: values.given + 1 }))],
});

/** Less than a pointer and its slot a run would be: what stays is not the run's. */
const growthBytesMax = 1_500_000;

async function growthOver(runs: number, once: () => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < 2_000; warm++) await once();
  await turn();
  const before = heapBytes();
  for (let count = 0; count < runs; count++) await once();
  await turn();
  return heapBytes() - before;
}

test("G13 CORE-38 100,000 runs on one long-lived signal leave a flat heap", async () => {
  const { signal } = new AbortController();
  expect(await growthOver(100_000, () => run(inner, { given: 1 }, { signal }))).toBeLessThan(growthBytesMax);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("G13 CORE-38 runs whose nodes read their signals, time out and retry leave a flat heap", async () => {
  const { signal } = new AbortController();
  const outer = graph("outer", {
    inputs: [given],
    outputs: [made],
    nodes: [
      mount("child", inner, { out: {}, aspects: [timeout(60_000)] }),
      node(
        "reads",
        { requires: [given], provides: [made], aspects: [retry({ limit: 2 }), timeout(60_000)] },
        async (values, context) => {
          if (context.attempt === 1 || context.signal.aborted) throw new Error("again");
          return { made: values.given };
        },
      ),
    ],
  });
  expect(await growthOver(30_000, () => run(outer, { given: 1 }, { signal }))).toBeLessThan(growthBytesMax);
});
