import { PulseError } from "@pulse-ts/core";
import { expect, test, vi } from "vitest";
import { rejectionOf } from "../testing/error-of.ts";
import { sampleRecord } from "../testing/sample-record.ts";
import { liveRecord } from "../record/live-record.ts";
import { commitQueue } from "./commit-queue.ts";
import type { Waiter } from "./commit-queue.ts";

const view = liveRecord(sampleRecord()).confirmed;

/** A queue whose saves end when the test says so. */
function manualQueue() {
  const batches: { readonly size: number; confirm(): void; fail(error: unknown): void }[] = [];
  const queue = commitQueue(
    (batch: readonly Waiter[]) =>
      new Promise((resolve, reject) => {
        batches.push({
          size: batch.length,
          confirm() {
            for (const waiter of batch) waiter.release(waiter.decide(view).result);
            resolve();
          },
          fail: reject,
        });
      }),
  );
  return { queue, batches };
}

const give =
  <Result>(result: Result) =>
  () => ({ changes: [], result });
const call = (path: string, signal?: AbortSignal) => (signal === undefined ? { path } : { path, signal });

test("DUR-9 changes that come while a save is in flight go together in the next one", async () => {
  const { queue, batches } = manualQueue();
  const first = queue.submit(give(1), call("a"));
  const second = queue.submit(give(2), call("b"));
  const third = queue.submit(give(3), call("c"));
  expect(batches.map(({ size }) => size)).toEqual([1]);
  batches[0]?.confirm();
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(batches.map(({ size }) => size)).toEqual([1, 2]);
  batches[1]?.confirm();
  expect(await Promise.all([second, third])).toEqual([2, 3]);
});

test("DUR-27 a change that waited and was then handed to a save is released with that save, cancelled or not", async () => {
  const { queue, batches } = manualQueue();
  const canceling = new AbortController();
  const first = queue.submit(give(1), call("a"));
  const second = queue.submit(give(2), call("b", canceling.signal));
  batches[0]?.confirm();
  await first;
  await Promise.resolve();
  expect(batches.map(({ size }) => size)).toEqual([1, 1]);
  canceling.abort();
  batches[1]?.confirm();
  expect(await second).toBe(2);
});

test("DUR-26 a waiter that is cancelled while queued leaves the others, and its save is not aborted", async () => {
  const { queue, batches } = manualQueue();
  const canceling = new AbortController();
  const first = queue.submit(give(1), call("a", canceling.signal));
  const second = queue.submit(give(2), call("b", canceling.signal));
  const third = queue.submit(give(3), call("c"));
  canceling.abort();
  const error = await rejectionOf("PULSE_CHECKPOINT_NOT_STARTED", second);
  expect(error.details).toEqual({ path: "b" });
  batches[0]?.confirm();
  // Handed over before the abort: it is released with the result of its save (DUR-27).
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(batches[1]?.size).toBe(1);
  batches[1]?.confirm();
  expect(await third).toBe(3);
});

test("DUR-26 an aborted signal takes a change out even if it was aborted before it was queued", async () => {
  const { queue, batches } = manualQueue();
  const first = queue.submit(give(1), call("a"));
  const second = queue.submit(give(2), call("b", AbortSignal.abort()));
  await rejectionOf("PULSE_CHECKPOINT_NOT_STARTED", second);
  batches[0]?.confirm();
  expect(await first).toBe(1);
  expect(batches).toHaveLength(1);
});

test("DUR-26 all changes that wait under one signal have one listener, and are all taken out when it is aborted", async () => {
  const { queue, batches } = manualQueue();
  const controller = new AbortController();
  const { signal } = controller;
  const listening = vi.spyOn(signal, "addEventListener");
  const first = queue.submit(give(0), call("first"));
  const saved = queue.submit(give(1), call("saved", signal));
  batches[0]?.confirm();
  await first;
  const second = Array.from({ length: 20 }, (_, at) => queue.submit(give(at), call("n", signal)));
  controller.abort();
  for (const each of second) await rejectionOf("PULSE_CHECKPOINT_NOT_STARTED", each);
  expect(listening).toHaveBeenCalledTimes(1);
  // What was handed to a save is no longer waited for under its signal.
  batches[1]?.confirm();
  expect(await saved).toBe(1);
});

test("DUR-21 when a save errs, those in it and those behind it get the same error, and nothing more is saved", async () => {
  const { queue, batches } = manualQueue();
  const settled = Promise.allSettled([1, 2, 3].map((result) => queue.submit(give(result), call("n"))));
  const cause = new PulseError("PULSE_STORE", "disk full", {
    details: { runId: "run", next: "mend-store", medium: "disk" },
  });
  batches[0]?.fail(cause);
  const results = await settled;
  expect(results.map((result) => result.status === "rejected" && result.reason === cause)).toEqual([true, true, true]);
  await expect(queue.submit(give(4), call("late"))).rejects.toBe(cause);
  expect(batches).toHaveLength(1);
});

test("DUR-27 stopping makes the waiters of a save in flight uncertain, and its late result is ignored", async () => {
  const { queue, batches } = manualQueue();
  const first = queue.submit(give(1), call("a"));
  const second = queue.submit(give(2), call("b"));
  const reason = new Error("over");
  queue.stop(reason);
  await expect(first).rejects.toBe(reason);
  await expect(second).rejects.toBe(reason);
  batches[0]?.confirm();
  await Promise.resolve();
  expect(batches).toHaveLength(1);
  expect(queue.stopped).toEqual({ error: reason });
});

test("CORE-35 the signal of a change that is handed over at once is never made", async () => {
  const { queue, batches } = manualQueue();
  let read = 0;
  const watched = {
    path: "a",
    get signal(): AbortSignal {
      read += 1;
      return new AbortController().signal;
    },
  };
  const first = queue.submit(give(1), watched);
  batches[0]?.confirm();
  expect(await first).toBe(1);
  expect(read).toBe(0);
});
