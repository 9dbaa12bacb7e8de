import { expect, test } from "vitest";
import { node, retry, type } from "../index.ts";
import { boom, numbers, started, total, writing } from "../testing/confirmed-runs.ts";
import { expectCode, rejection, rejectionOf } from "../testing/rejection.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { handleMessages, stream } from "./index.ts";

const objects = stream("objects", type<{ n: number }>("object"), { capacity: 8 });

test("STR-15 STR-16 STR-18 STR-19 STR-39 REC-14 CKPT-36 a handler's message is one commit, with the state and the values that come back", async () => {
  const own = streamHooksOfTest();
  const count = node("count", { requires: [numbers], provides: [total] }, async ({ numbers: reader }) => ({
    total: await handleMessages(
      reader,
      ({ value }, message) => {
        if (value === 2 && message.attempt === 1) throw boom;
        const sum = (message.state.get() ?? 0) + value;
        message.state.set(sum);
        if (value === 3) message.set(total, sum);
      },
      { limit: 2, state: type<number>("sum") },
    ),
  }));
  const { values } = await started([writing(1, 2, 3), count], own).wait();
  expect(values).toEqual({ total: 6 });
  expect(own.lines.filter((line) => /handled|failed/.test(line))).toEqual([
    "handled /count 1",
    "failed /count 2 try 1",
    "handled /count 2",
    "handled /count 3",
  ]);
});

test("STR-39 STR-24 CKPT-32 a message whose budget was used up before fails the node for good, and no retry of its chain runs it again", async () => {
  const own = streamHooksOfTest();
  own.answer("openMessage", () => ({ index: 1, exhausted: true }));
  let bodies = 0;
  const count = node("count", { requires: [numbers], aspects: [retry({ limit: 3 })] }, async ({ numbers: reader }) => {
    bodies++;
    await handleMessages(reader, () => {});
  });
  const error = await rejectionOf(started([writing(1), count], own).wait(), "PULSE_EXECUTION_FAILED");
  expect(String((error.cause as Error).message)).toContain("used up");
  expect(bodies).toBe(1);
});

test("CKPT-28 what is changed after a send, or after a handler has returned, is recorded as it was", async () => {
  const own = streamHooksOfTest();
  const state = { n: 1 };
  const write = node("write", { provides: [objects] }, async (_, { open }) => {
    const out = await open(objects);
    const value = { n: 1 };
    const sent = out.send(value);
    value.n = 2;
    await sent;
  });
  const count = node("count", { requires: [objects], provides: [total] }, async ({ objects: reader }) => ({
    total: await handleMessages(reader, async ({ value }, message) => {
      message.state.set(state);
      message.set(total, value.n);
      queueMicrotask(() => (state.n = 2));
    }),
  }));
  const { values } = await started([write, count], own).wait();
  expect(values).toEqual({ total: 1 });
  const handled = own.calls.find(({ hook }) => hook === "commit")?.request;
  expect(handled).toMatchObject({ handled: { state: { value: { n: 1 } } } });
});

test("STR-14 with checkpoints no live channel hides in what is sent, handled or written", async () => {
  const channels = [
    (async function* () {
      yield 1;
    })(),
    new ReadableStream(),
    { pipe: () => {}, on: () => {} },
  ];
  const any = stream("any", type<unknown>("any"), { capacity: 2 });
  for (const channel of channels) {
    const ring: Record<string, unknown> = { deep: [{ channel }] };
    ring["self"] = ring;
    const refused: unknown[] = [];
    const write = node("write", { provides: [any, total] }, async (_, { open }) => {
      const out = await open(any);
      refused.push(await rejection(out.send(ring)));
      await out.send("fine");
      return { total: 1 };
    });
    const read = node("read", { requires: [any] }, async ({ any: reader }) => {
      await handleMessages(reader, () => {});
    });
    await started([write, read], streamHooksOfTest()).wait();
    expectCode(refused[0], "PULSE_USAGE");
    expect(String((refused[0] as Error).message)).toContain(".deep[0].channel");
  }
});

test("STR-47 STR-18 what a closure changed is not rolled back with a failed handler; the state is", async () => {
  const own = streamHooksOfTest();
  let closure = 0;
  const states: unknown[] = [];
  const count = node("count", { requires: [numbers] }, async ({ numbers: reader }) => {
    await handleMessages(
      reader,
      (_message, { state, attempt }) => {
        closure++;
        states.push(state.get());
        state.set(attempt);
        if (attempt === 1) throw boom;
      },
      { limit: 2, state: type<number>("state") },
    );
  });
  await started([writing(1), count], own).wait();
  expect(closure).toBe(2);
  expect(states).toEqual([undefined, undefined]);
});

test("DUR-25 a handler's key is the same over its tries and another for each message", async () => {
  const own = streamHooksOfTest();
  const keys: string[] = [];
  const count = node("count", { requires: [numbers] }, async ({ numbers: reader }) => {
    await handleMessages(
      reader,
      ({ value }, { idempotencyKey, attempt }) => {
        keys.push(`${value} ${idempotencyKey}`);
        if (attempt === 1) throw boom;
      },
      { limit: 2 },
    );
  });
  await started([writing(1, 2), count], own).wait();
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(2);
});
