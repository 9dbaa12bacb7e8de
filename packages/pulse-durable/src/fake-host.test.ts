import { graph, key, node, retry, run, type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { fakeHost } from "./fake-host.ts";

test("DUR-17 timers fire in order of time, and only when the clock is moved", async () => {
  const host = fakeHost({ now: 1000 });
  const fired: string[] = [];
  host.setTimer(() => fired.push(`late ${host.now()}`), 50);
  host.setTimer(() => {
    fired.push(`early ${host.now()}`);
    host.setTimer(() => fired.push(`inner ${host.now()}`), 10);
  }, 20);
  const cleared = host.setTimer(() => fired.push("cleared"), 30);
  host.clearTimer(cleared);
  await host.advance(19);
  expect(fired).toEqual([]);
  await host.advance(31);
  expect(fired).toEqual(["early 1020", "inner 1030", "late 1050"]);
  expect(host.now()).toBe(1050);
  expect(host.armed).toBe(0);
});

test("DUR-17 runAll moves the clock to the last timer, and refuses to go on for ever", async () => {
  const host = fakeHost({ now: 0 });
  let left = 3;
  const again = (): void => void (left-- > 0 && host.setTimer(again, 1_000_000));
  again();
  await host.runAll();
  expect([host.now(), left]).toEqual([3_000_000, -1]);
  expect(() => host.setTimer(() => {}, 2 ** 31)).toThrow(RangeError);
});

test("DUR-17 a seed decides ids and randomness", () => {
  const [one, same, other] = [fakeHost({ seed: 7 }), fakeHost({ seed: 7 }), fakeHost({ seed: 8 })];
  const ids = [one.randomId(), one.randomId()];
  expect(ids).toEqual([same.randomId(), same.randomId()]);
  expect(ids[0]).not.toBe(ids[1]);
  expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(one.random()).toBe(same.random());
  expect(one.random()).not.toBe(other.random());
});

test("DUR-17 a retried graph takes no time of its own, and a shuffled host permutes what is ready", async () => {
  const done = key("done", type<number>("number"));
  const host = fakeHost();
  let tries = 0;
  const waiting = graph("waiting", {
    outputs: [done],
    nodes: [
      node("tries", { provides: [done], aspects: [retry({ limit: 3, delay: 3_600_000 })] }, () => {
        tries += 1;
        if (tries < 3) throw new Error("not yet");
        return { done: tries };
      }),
    ],
  });
  const outcome = run(waiting, {}, { host });
  await host.runAll();
  expect((await outcome).values.done).toBe(3);

  const orderOf = async (seed: number): Promise<string> => {
    const order: string[] = [];
    const nodes = ["a", "b", "c", "d"].map((id) => node(id, {}, () => void order.push(id)));
    await run(graph("fan", { nodes }), {}, { host: fakeHost({ seed, shuffled: true }) });
    return order.join("");
  };
  const orders = await Promise.all([1, 2, 3, 4, 5].map(orderOf));
  expect(new Set(orders).size).toBeGreaterThan(1);
  expect(await orderOf(1)).toBe(orders[0]);
});
