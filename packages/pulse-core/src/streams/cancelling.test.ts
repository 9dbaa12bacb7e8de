import { expect, test } from "vitest";
import { execution, graph, key, node, retry, run, type } from "../index.ts";
import { rejection } from "../testing/rejection.ts";
import { stream } from "./index.ts";
import type { StreamDelivery } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 2 });
const list = key("list", type<readonly number[]>());
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** Settles so many microtasks later. */
async function ticks(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}

const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
  const writer = await open(numbers);
  for (const value of upTo(6)) {
    await ticks(value % 3);
    await writer.send(value);
  }
});

/** More than any of these programs needs. */
const moments = upTo(60).map((moment) => moment - 1);

test("STR-30 STR-6 a receive that is cancelled at any microtask loses and doubles nothing", async () => {
  let cancelled = 0;
  for (const moment of moments) {
    const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
      const controller = new AbortController();
      void ticks(moment).then(() => controller.abort("now"));
      const seen: number[] = [];
      for (;;) {
        const options = controller.signal.aborted ? {} : { signal: controller.signal };
        let delivery: StreamDelivery<number> | undefined;
        try {
          delivery = await reader.receive(options);
        } catch (error) {
          expect(error).toBe("now");
          cancelled++;
          continue;
        }
        if (delivery === undefined) return { list: seen };
        seen.push(delivery.value);
        await delivery.ack();
      }
    });
    const outcome = await run(graph("g", { outputs: [list], nodes: [write, read] }), {});
    expect(outcome.values.list).toEqual(upTo(6));
  }
  expect(cancelled).toBeGreaterThan(5);
});

test("STR-30 a send that is cancelled at any microtask was sent once, or not at all", async () => {
  let cancelled = 0;
  for (const moment of moments) {
    const sent: number[] = [];
    const writes = node("write", { provides: [numbers] }, async (_values, { open }) => {
      const writer = await open(numbers);
      const controller = new AbortController();
      void ticks(moment).then(() => controller.abort("now"));
      for (const value of upTo(6)) {
        const options = controller.signal.aborted ? {} : { signal: controller.signal };
        try {
          await writer.send(value, options);
          sent.push(value);
        } catch (error) {
          expect(error).toBe("now");
          cancelled++;
        }
      }
    });
    const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
      const seen: number[] = [];
      for await (const { value, sequence, ack } of reader) {
        seen.push(value);
        expect(sequence).toBe(seen.length);
        await ticks(4);
        await ack();
      }
      return { list: seen };
    });
    const outcome = await run(graph("g", { outputs: [list], nodes: [writes, read] }), {});
    expect(outcome.values.list).toEqual(sent);
  }
  expect(cancelled).toBeGreaterThan(5);
});

test("STR-30 STR-46 a reader whose try fails at any microtask has each message acknowledged exactly once", async () => {
  for (const moment of moments) {
    const acknowledged: number[] = [];
    const read = node(
      "read",
      { requires: [numbers], provides: [list], aspects: [retry({ limit: 2 })] },
      async ({ numbers: reader }, { attempt }) => {
        const work = async (): Promise<void> => {
          for await (const { value, ack } of reader) {
            await ticks(2);
            await ack();
            acknowledged.push(value);
          }
        };
        if (attempt === 2) await work();
        else {
          // The body goes on after its try has failed, and can do nothing any more.
          const working = work();
          working.catch(() => {});
          await Promise.race([working, ticks(moment).then(() => Promise.reject(new Error("try")))]);
        }
        return { list: acknowledged };
      },
    );
    const handle = execution(graph("g", { outputs: [list], nodes: [write, read] }), {});
    handle.start();
    const { values } = await handle.wait();
    expect(values.list.toSorted((x, y) => x - y)).toEqual(upTo(6));
    expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ frontier: 6, pending: 0, delivered: 6 });
  }
});

test("STR-30 CORE-38 an execution that is cancelled at any microtask ends, with what was sent and delivered whole", async () => {
  for (const moment of moments) {
    const seen: number[] = [];
    const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
      for await (const { value, ack } of reader) {
        seen.push(value);
        await ack();
      }
    });
    const handle = execution(graph("g", { nodes: [write, read] }), {});
    handle.start();
    await ticks(moment);
    handle.cancel("now");
    await handle.wait().catch(() => {});
    const told = handle.snapshot().streams[0];
    const sent = told?.sent ?? 0;
    expect(seen).toEqual(upTo(seen.length));
    expect(sent).toBeGreaterThanOrEqual(seen.length);
    expect(sent - (told?.groups[0]?.frontier ?? 0)).toBeLessThanOrEqual(2);
  }
});

test("STR-8 STR-30 a writer that fails at any microtask gives its reader no clean end", async () => {
  for (const moment of moments) {
    let cleanEnd = false;
    const writes = node("write", { provides: [numbers] }, async (_values, { open }) => {
      const writer = await open(numbers);
      for (const value of upTo(3)) await writer.send(value);
      await ticks(moment);
      throw new Error("boom");
    });
    const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
      for (;;) {
        const delivery = await reader.receive();
        cleanEnd ||= delivery === undefined;
        if (delivery === undefined) return;
        await delivery.ack();
      }
    });
    await rejection(run(graph("g", { nodes: [writes, read] }), {}));
    expect(cleanEnd).toBe(false);
  }
});
