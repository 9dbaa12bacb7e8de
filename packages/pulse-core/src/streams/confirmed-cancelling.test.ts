import { expect, test } from "vitest";
import { execution, graph, node, retry } from "../index.ts";
import { checkpoint } from "../checkpoint/index.ts";
import { numbers, readAll, reading } from "../testing/confirmed-runs.ts";
import { turn } from "../testing/deferred.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
/** More than any of these programs needs. */
const moments = upTo(120).map((moment) => moment - 1);

async function ticks(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}

/** Hooks that take some microtasks to confirm, as if each were a save. */
function slowHooks() {
  const own = streamHooksOfTest();
  const { streams } = own.hooks;
  if (streams === undefined) throw new Error("these hooks have streams");
  const { open, append, commit } = streams;
  return {
    ...own,
    hooks: {
      ...own.hooks,
      streams: {
        ...streams,
        open: (request: Parameters<typeof open>[0]) => ticks(3).then(() => open(request)),
        append: (request: Parameters<typeof append>[0]) => ticks(3).then(() => append(request)),
        commit: (request: Parameters<typeof commit>[0]) => ticks(3).then(() => commit(request)),
      },
    },
  };
}

const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
  const writer = await open(numbers);
  for (const value of upTo(6)) {
    await ticks(value);
    await writer.send(value);
  }
});

/** Starts the two nodes over slow hooks. */
function begin(nodes: readonly unknown[]) {
  const own = slowHooks();
  const options = { checkpoint: checkpoint({ scope: "root", hooks: own.hooks }) };
  // The casts stand for nodes that only meet here.
  const running = execution(graph("g", { nodes: nodes as never }), {}, options);
  running.start();
  return { running, of: (what: string) => own.lines.filter((line) => line.startsWith(what)), calls: own.calls };
}

const acknowledged = upTo(6).map((sequence) => `ack /read ${sequence}`);

test("STR-30 STR-6 with hooks, a receive that is cancelled at any microtask loses and doubles nothing", async () => {
  let cancelled = 0;
  for (const moment of moments) {
    const seen: number[] = [];
    const read = reading(async (reader) => {
      const controller = new AbortController();
      void ticks(moment).then(() => controller.abort("now"));
      for (;;) {
        const options = controller.signal.aborted ? {} : { signal: controller.signal };
        const got = await reader.receive(options).catch((error: unknown) => {
          expect(error).toBe("now");
          cancelled++;
          return "cancelled" as const;
        });
        if (got === undefined) return;
        if (got === "cancelled") continue;
        seen.push(got.value);
        await got.ack();
      }
    });
    const { running, of } = begin([write, read]);
    await running.wait();
    expect(seen).toEqual(upTo(6));
    expect(of("ack")).toEqual(acknowledged);
  }
  expect(cancelled).toBeGreaterThan(20);
});

test("STR-30 STR-36 with hooks, a send that is cancelled at any microtask is recorded once, or not at all", async () => {
  let cancelled = 0;
  for (const moment of moments) {
    const sent: number[] = [];
    const writes = node("write", { provides: [numbers] }, async (_values, { open }) => {
      const writer = await open(numbers);
      const controller = new AbortController();
      void ticks(moment).then(() => controller.abort("now"));
      for (const value of upTo(6))
        await writer.send(value, controller.signal.aborted ? {} : { signal: controller.signal }).then(
          () => sent.push(value),
          (error: unknown) => {
            expect(error).toBe("now");
            cancelled++;
          },
        );
    });
    const read = reading(async (reader) => {
      for await (const { ack } of reader) {
        await ticks(12);
        await ack();
      }
    });
    const { running, of } = begin([writes, read]);
    await running.wait();
    expect(of("append").map((line) => Number(line.at(-1)))).toEqual(sent);
    expect(of("ack")).toHaveLength(sent.length);
  }
  expect(cancelled).toBeGreaterThan(20);
});

test("STR-30 STR-46 with hooks, a reader whose try fails at any microtask has each message acknowledged once, also while one is being confirmed", async () => {
  for (const moment of moments) {
    const spec = { requires: [numbers], aspects: [retry({ limit: 2 })] };
    const read = node("read", spec, async ({ numbers: reader }, { attempt }) => {
      if (attempt > 1) return readAll(reader);
      const failing = ticks(moment).then(() => Promise.reject(new Error("try")));
      return Promise.race([readAll(reader), failing]);
    });
    const { running, of } = begin([write, read]);
    await running.wait();
    expect(of("ack")).toEqual(acknowledged);
  }
});

test("STR-30 STR-32 with hooks, a writer whose try fails at any microtask goes on after the last message that it had asked for", async () => {
  for (const moment of moments) {
    const spec = { provides: [numbers], resumable: true, aspects: [retry({ limit: 2 })] };
    const writes = node("write", spec, async (_values, { open, attempt }) => {
      const work = async (): Promise<void> => {
        const writer = await open(numbers);
        for (let value = Number(writer.position() ?? 0) + 1; value <= 6; value++) await writer.sendAt(value, value);
      };
      if (attempt > 1) return work();
      return Promise.race([work(), ticks(moment).then(() => Promise.reject(new Error("try")))]);
    });
    const { running, of } = begin([writes, reading(readAll)]);
    await running.wait();
    const sent = of("append").map((line) => Number(line.at(-1)));
    // Also one that was being confirmed when the try ended: it is sent once, and its position is known to the next try.
    expect(sent).toEqual(upTo(6));
    expect(of("ack")).toEqual(acknowledged);
  }
});

test("STR-30 CKPT-14 with hooks, an execution that is cancelled at any microtask is interrupted, and asks nothing after its end", async () => {
  const outcomes = new Set<string>();
  for (const moment of moments) {
    const { running, of, calls } = begin([write, reading(readAll)]);
    await ticks(moment);
    running.cancel("now");
    await running.wait().catch(() => {});
    outcomes.add(running.snapshot().state);
    const asked = calls.length;
    await turn();
    expect(calls).toHaveLength(asked);
    const sent = of("append").length;
    expect(of("append").map((line) => Number(line.at(-1)))).toEqual(upTo(sent));
    expect(of("ack")).toEqual(acknowledged.slice(0, of("ack").length));
    expect(sent - of("ack").length).toBeLessThanOrEqual(2);
  }
  expect(outcomes.has("interrupted")).toBe(true);
  expect(outcomes.size).toBeLessThanOrEqual(2);
});
