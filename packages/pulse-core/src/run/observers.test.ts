import { expect, test } from "vitest";
import { execution, graph, node, run, type PulseEvent } from "../index.ts";
import { never, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";

const made = numberKey("made");
const after = numberKey("after");
const chain = graph("chain", {
  outputs: [after],
  nodes: [
    node("first", { provides: [made] }, () => ({ made: 1 })),
    node("second", { requires: [made], provides: [after] }, async (values) => ({ after: values.made + 1 })),
  ],
});

const broken: readonly (readonly [string, (error: Error) => (event: PulseEvent) => unknown])[] = [
  [
    "throws",
    (error) => () => {
      throw error;
    },
  ],
  ["rejects", (error) => () => Promise.reject(error)],
];

test.each(broken)(
  "G10 CORE-32 CORE-44 an observer that %s is isolated: reported once, the outcome is the same",
  async (_name, make) => {
    const error = new Error("observer");
    const [before, behind] = [eventLog(), eventLog()];
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const outcome = await run(chain, {}, { observers: [before.observer, make(error), behind.observer] });
      expect(outcome.values.after).toBe(2);
      await turn();
      for (const log of [before, behind]) {
        expect(log.events.filter((event) => event.kind === "observer-failed")).toMatchObject([{ error }]);
        const others = log.lines().filter((line) => line !== "observer-failed");
        expect(others[0]).toBe("execution-started");
        expect(others.at(-1)).toBe("execution-finished");
      }
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
);

test("G10 CORE-44 two observers that throw at every event report each other no end", async () => {
  const log = eventLog();
  const throwing = (name: string) => (): never => {
    throw new Error(name);
  };
  await run(chain, {}, { observers: [throwing("one"), log.observer, throwing("two")] });
  const failed = log.events.flatMap((event) =>
    event.kind === "observer-failed" ? [(event.error as Error).message] : [],
  );
  expect(failed.sort()).toEqual(["one", "two"]);
});

test("CORE-44 an async observer is never awaited", async () => {
  const seen: string[] = [];
  const outcome = await run(
    chain,
    {},
    {
      observers: [
        async (event) => {
          seen.push(event.kind);
          await never();
        },
      ],
    },
  );
  expect(outcome.values.after).toBe(2);
  expect(seen.at(-1)).toBe("execution-finished");
});

test("CORE-44 events reach each observer in order of sequence, without a gap", async () => {
  const [one, two] = [eventLog(), eventLog()];
  await run(chain, {}, { observers: [one.observer, two.observer] });
  for (const log of [one, two]) {
    expect(log.events.map(({ sequence }) => sequence)).toEqual(log.events.map((_event, index) => index + 1));
  }
  expect(one.events).toEqual(two.events);
});

test("G10 CORE-44 an observer that is added during an event sees the next one", async () => {
  const added = eventLog();
  const log = eventLog();
  const handle = execution(chain, {}, { observers: [log.observer] });
  let once = false;
  handle.observe((event) => {
    if (once || event.kind !== "node-running") return;
    once = true;
    handle.observe(added.observer);
  });
  handle.start();
  await handle.wait();
  const from = log.events.findIndex(({ kind }) => kind === "node-running") + 1;
  expect(added.events).toEqual(log.events.slice(from));
});

test("CORE-44 an observer that stops observing sees no more, and others go on", async () => {
  const log = eventLog();
  const seen: string[] = [];
  const handle = execution(chain, {}, { observers: [log.observer] });
  const stop = handle.observe((event) => {
    seen.push(event.kind);
    if (event.kind === "node-running") stop();
  });
  handle.start();
  await handle.wait();
  expect(seen.filter((kind) => kind === "node-running")).toHaveLength(1);
  expect(seen.at(-1)).toBe("node-running");
  expect(log.lines().at(-1)).toBe("execution-finished");
});

test("CORE-32 observers are called outside engine state: they may cancel and take snapshots", async () => {
  const snapshots: string[] = [];
  const handle = execution(chain, {});
  handle.observe((event) => {
    snapshots.push(handle.snapshot().state);
    if (event.kind === "node-finished" && event.path === "first") handle.cancel("by an observer");
  });
  handle.start();
  await expect(handle.wait()).rejects.toMatchObject({ code: "PULSE_INTERRUPTED", cause: "by an observer" });
  expect(snapshots.length).toBeGreaterThan(2);
});
