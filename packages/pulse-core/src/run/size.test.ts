import { beforeEach, describe, expect, test } from "vitest";
import { graph, node, run, type AnyKey, type Node } from "../index.ts";
import { bothWays, type Doing } from "../testing/both-ways.ts";
import { numberKey } from "../testing/keys.ts";

const size = 100_000;

/** How the bodies of this file do their work: the graphs are built once, the tests choose. */
let doing: Doing = (work) => work();
/** Whether the first node of the chain has a value. */
let firstSkips = false;

/** A node of keys whose names are made in a loop: its value is one more than the sum of what it requires. */
const step = (id: string, requires: readonly AnyKey[], provided: AnyKey): Node =>
  node(id, { requires, provides: [provided] }, (_values, context) =>
    doing(() => ({
      [provided.name]:
        firstSkips && requires.length === 0
          ? context.skip(provided)
          : requires.reduce((sum, each) => sum + Number(context.get(each)), 1),
    })),
  );

const start = numberKey("start");
const end = numberKey("end");
const keys: AnyKey[] = [...Array.from({ length: size - 1 }, (_value, index) => numberKey(`k${index}`)), end];

const links = keys.map((provided, index) => step(`n${index}`, keys.slice(Math.max(0, index - 1), index), provided));
const chain = graph("chain", { outputs: [end], nodes: links });
const reversed = graph("reversed", { outputs: [end], nodes: [...links].reverse() });
const total = numberKey("total");
const fan = graph("fan", {
  outputs: [total],
  nodes: [
    step("first", [], start),
    ...keys.map((provided, index) => step(`n${index}`, [start], provided)),
    step("last", keys, total),
  ],
});

describe.each(bothWays)("$how", ({ as }) => {
  beforeEach(() => {
    doing = as;
    firstSkips = false;
  });

  test("G17 CORE-35 a chain of 100,000 nodes ends without a stack overflow", async () => {
    expect((await run(chain, {})).values.end).toBe(size);
  });

  test("G17 CORE-35 a chain declared from its end to its start ends as well", async () => {
    expect((await run(reversed, {})).values.end).toBe(size);
  });

  test("CORE-35 a fan of 100,000 nodes out of one key and into one node ends", async () => {
    expect((await run(fan, {})).values.total).toBe(2 * size + 1);
  });

  test("G17 CORE-35 a skip runs down a chain of 100,000 nodes", async () => {
    firstSkips = true;
    expect((await run(chain, {})).outputs).toEqual({ end: { state: "skipped" } });
  });

  test("G17 CORE-35 CORE-18 a chain of 100,000 nodes ends under a cap of one body at once", async () => {
    expect((await run(chain, {}, { concurrency: 1 })).values.end).toBe(size);
  });

  test("CORE-35 CORE-18 a fan of 100,000 nodes ends under a cap of three bodies at once", async () => {
    expect((await run(fan, {}, { concurrency: 3 })).values.total).toBe(2 * size + 1);
  });
});
