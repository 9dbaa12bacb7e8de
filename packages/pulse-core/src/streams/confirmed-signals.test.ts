import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { checkpoint, notStarted } from "../checkpoint/index.ts";
import { aspect, execution, graph, node } from "../index.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { boom, numbers, readAll, reading, started, writing } from "../testing/confirmed-runs.ts";
import { rejectionOf } from "../testing/rejection.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { handleMessages } from "./index.ts";

test("CKPT-30 CKPT-9 an opening has the signal of the root, an acknowledgement that of its execution: the failure of another node aborts neither", async () => {
  const own = streamHooksOfTest();
  const opening = own.hold("open");
  const control = new AbortController();
  const fail = deferred();
  const bad = node("bad", {}, async () => {
    await fail.promise;
    throw boom;
  });
  const running = started([writing(1), reading(readAll), bad], own, control.signal);
  const { signal } = await opening.reached;
  fail.resolve();
  await turn();
  expect(signal.aborted).toBe(false);
  expect(await hasSettled(running.wait())).toBe(false);
  control.abort(new Error("enough"));
  expect(signal.aborted).toBe(true);
  opening.release();
  await running.wait().catch(() => {});
  // Nothing began after the failure (CKPT-10).
  expect(own.calls.map(({ hook }) => hook)).toEqual(["open"]);
});

test("CKPT-11 STR-30 a send whose hook did not start gives its room back and is an interruption; with healthy signals it stops the run", async () => {
  const own = streamHooksOfTest();
  own.answer("append", () => {
    throw notStarted("write");
  });
  const running = started([writing(1), reading(readAll)], own);
  expect((await rejectionOf(running.wait(), "PULSE_CHECKPOINT")).details.hook).toBe("streams.append");
  const cancelled = streamHooksOfTest();
  const held = cancelled.hold("append");
  const control = new AbortController();
  const stopped = started([writing(1), reading(readAll)], cancelled, control.signal);
  await held.reached;
  control.abort(new Error("enough"));
  held.fail(notStarted("write"));
  await rejectionOf(stopped.wait(), "PULSE_INTERRUPTED");
});

test.each(["open", "append", "openMessage", "failMessage", "commit"] as const)(
  "CKPT-12 STR-16 a reliable failure of streams.%s stops the run, whatever the body or an aspect makes of it",
  async (hook) => {
    const own = streamHooksOfTest();
    own.answer(hook, () => {
      throw boom;
    });
    const caught = aspect("caught", async (_context, next) => next().catch(() => {}));
    const write = node("write", { provides: [numbers], aspects: [caught] }, async (_, { open }) => {
      const out = await open(numbers).catch(() => undefined);
      await out?.send(1).catch(() => false);
    });
    const count = node("count", { requires: [numbers], aspects: [caught] }, async ({ numbers: reader }) => {
      await handleMessages(
        reader,
        (_message, { attempt }) => {
          if (attempt === 1) throw new Error("again");
        },
        { limit: 2 },
      ).catch(() => {});
    });
    const error = await rejectionOf(started([write, count], own).wait(), "PULSE_CHECKPOINT");
    expect(error.cause).toBe(boom);
    expect(error.details.hook).toBe(`streams.${hook}`);
  },
);

test("CKPT-33 hooks are called in the async context of the node that caused them, also of a send that waited for room", async () => {
  const storage = new AsyncLocalStorage<string>();
  const own = streamHooksOfTest();
  const seen: string[] = [];
  const { streams } = own.hooks;
  if (streams === undefined) throw new Error("these hooks have streams");
  const hooks = {
    ...own.hooks,
    streams: {
      ...streams,
      append: (request: Parameters<typeof streams.append>[0]) => {
        seen.push(`append ${storage.getStore()}`);
        return streams.append(request);
      },
      commit: (request: Parameters<typeof streams.commit>[0]) => {
        seen.push(`commit ${storage.getStore()}`);
        return streams.commit(request);
      },
    },
  };
  const write = node("write", { provides: [numbers] }, (_, { open }) =>
    storage.run("writer", async () => {
      const out = await open(numbers);
      for (const value of [1, 2, 3, 4]) {
        await out.send(value);
        expect(storage.getStore()).toBe("writer");
      }
    }),
  );
  const read = node("read", { requires: [numbers] }, ({ numbers: reader }) =>
    storage.run("reader", async () => {
      for await (const { ack } of reader) {
        await turn();
        await ack();
        expect(storage.getStore()).toBe("reader");
      }
    }),
  );
  const running = execution(
    graph("g", { nodes: [write, read] }),
    {},
    { checkpoint: checkpoint({ scope: "root", hooks }) },
  );
  running.start();
  await running.wait();
  expect(new Set(seen)).toEqual(new Set(["append writer", "commit reader"]));
  expect(seen).toHaveLength(8);
});
