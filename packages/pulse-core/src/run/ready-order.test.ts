import { expect, test } from "vitest";
import { graph, mount, node, run } from "../index.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";

const start = numberKey("start");
const names = ["a", "b", "c", "d"];

/** Runs four nodes that become ready together and gives the order in which their bodies began. */
async function orderOf(seed: number, shuffled = true): Promise<string> {
  const order: string[] = [];
  const fan = graph("fan", {
    nodes: [
      node("first", { provides: [start] }, () => ({ start: 1 })),
      ...names.map((name) => node(name, { requires: [start] }, () => void order.push(name))),
    ],
  });
  await run(fan, {}, { host: fakeHost({ seed, shuffled }) });
  return order.join("");
}

test("CORE-40 without an order of the host, ready nodes go first come, first served", async () => {
  expect(await orderOf(1, false)).toBe("abcd");
});

test("CORE-40 a seeded order permutes everything that is ready: all 24 orders come up", async () => {
  const orders = new Set<string>();
  for (let seed = 1; seed <= 400; seed++) orders.add(await orderOf(seed));
  expect(orders.size).toBe(24);
});

test("CORE-40 one seed gives one order", async () => {
  for (const seed of [1, 7, 99]) expect(await orderOf(seed)).toBe(await orderOf(seed));
});

test("CORE-40 the order reaches across a mount and its parent", async () => {
  const orders = new Set<string>();
  for (let seed = 1; seed <= 100; seed++) {
    const order: string[] = [];
    const inner = graph("inner", { nodes: [node("inside", {}, () => void order.push("inside"))] });
    const outer = graph("outer", {
      nodes: [mount("child", inner), node("outside", {}, () => void order.push("outside"))],
    });
    await run(outer, {}, { host: fakeHost({ seed, shuffled: true }) });
    orders.add(order.join(" "));
  }
  expect(orders).toEqual(new Set(["inside outside", "outside inside"]));
});

test("CORE-40 the order is kept under a cap on concurrency", async () => {
  const orders = new Set<string>();
  for (let seed = 1; seed <= 60; seed++) {
    const order: string[] = [];
    const fan = graph("fan", {
      nodes: ["a", "b", "c"].map((name) => node(name, {}, async () => void order.push(name))),
    });
    await run(fan, {}, { host: fakeHost({ seed, shuffled: true }), concurrency: 1 });
    expect([...order].sort()).toEqual(["a", "b", "c"]);
    orders.add(order.join(""));
  }
  expect(orders.size).toBe(6);
});
