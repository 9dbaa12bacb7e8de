import { graph, isPulseError, key, mount, node, PulseError, type } from "@pulse-ts/core";
import type { Execution } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import type { RunOptions } from "../options.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { deferred, turn, worker } from "../testing/worker.ts";

const count = key("count", z.number());
const anything = key("anything", z.unknown());
const call = { runId: "run", version: "1" };

const bodies: string[] = [];
const counting = graph("counting", {
  inputs: [count],
  outputs: [anything],
  nodes: [
    node("pass", { requires: [count], provides: [anything] }, ({ count }) => {
      bodies.push("pass");
      return { anything: count };
    }),
  ],
});
const taking = graph("taking", { inputs: [anything], nodes: [node("take", { requires: [anything] }, () => {})] });

const unencodable = (): void => {};

/** Calls that are wrong before a store is asked, each with its code. */
const badCalls: Readonly<
  Record<string, (pulse: ReturnType<typeof durable>, way: "run" | "resume") => Promise<unknown>>
> = {
  "PULSE_INVALID of a missing input": (pulse, way) => pulse[way](counting, {} as never, call),
  "PULSE_INVALID of inputs that are not there": (pulse, way) => pulse[way](counting, undefined as never, call),
  "PULSE_INVALID of an unknown input": (pulse, way) => pulse[way](counting, { count: 1, more: 2 } as never, call),
  "PULSE_INVALID of an input of another type": (pulse, way) => pulse[way](counting, { count: "1" } as never, call),
  "PULSE_CODEC of an input that cannot be encoded": (pulse, way) => pulse[way](taking, { anything: unencodable }, call),
  "PULSE_INVALID of a fixed value that cannot be encoded": (pulse, way) =>
    pulse[way](graph("fixing", { nodes: [mount("taking", taking, { fix: { anything: unencodable } })] }), {}, call),
  "PULSE_CODEC of an override that cannot be encoded": (pulse, way) =>
    pulse[way](counting, { count: 1 }, { ...call, overrides: { keys: { anything: unencodable } } }),
  "PULSE_INVALID of a key without a codec": (pulse, way) =>
    pulse[way](graph("odd", { inputs: [key("odd", z.instanceof(Map))], nodes: [] }), { odd: new Map() }, call),
  "PULSE_INVALID of what is no graph": (pulse, way) => pulse[way](undefined as never, {}, call),
  "PULSE_INVALID of a name that no record can hold": (pulse, way) =>
    pulse[way](graph("odd", { nodes: [node("\uD800", {}, () => {})] }), {}, call),
  "PULSE_INVALID of an option of the execution": (pulse, way) =>
    pulse[way](counting, { count: 1 }, { ...call, concurrency: 0 }),
};

test("DUR-12 what is wrong before a store is asked names the run and what to do next, and touches no record", async () => {
  const memory = memoryStore();
  const { pulse, store } = worker(memory);
  await pulse.run(counting, { count: 1 }, call);
  const before = await memory.catalog.read("run");
  const acquired = store.acquired;
  for (const [name, bad] of Object.entries(badCalls)) {
    for (const way of ["run", "resume"] as const) {
      const code = name.startsWith("PULSE_CODEC") ? "PULSE_CODEC" : "PULSE_INVALID";
      const error = await rejectionOf(code, bad(pulse, way));
      expect({ name, ...error.details }).toMatchObject({
        name,
        runId: "run",
        next: way === "run" ? "start" : "resume",
      });
      expect(error.message).toContain('run "run" cannot begin: ');
    }
  }
  expect(store.acquired).toBe(acquired);
  expect(await memory.catalog.read("run")).toStrictEqual(before);
});

test("DUR-12 options that cannot be are refused by name, all at once, before anything is acquired", async () => {
  const { pulse, store } = worker();
  const bad = { version: 1n, beforeStart: 3, verify: "some", isolate: "no", keepFailure: 1, checkpoint: {} };
  const error = await rejectionOf("PULSE_INVALID", pulse.run(counting, { count: 1 }, { ...call, ...bad } as never));
  expect(error.details.problems.map(({ code, path }) => [code, path])).toEqual(
    ["version", "beforeStart", "verify", "isolate", "keepFailure", "checkpoint"].map((path) => [
      "PULSE_OPTION_INVALID",
      path,
    ]),
  );
  expect(error.details).toMatchObject({ runId: "run", next: "start" });
  for (const options of [undefined, null, "run"]) {
    const refused = await rejectionOf("PULSE_INVALID", pulse.run(counting, { count: 1 }, options as never));
    expect(refused.details.problems.map(({ path }) => path)).toEqual(["options"]);
    expect(refused.details).toMatchObject({ runId: "", next: "start" });
  }
  expect(store.acquired).toBe(0);
});

test("DUR-12 what was not given is told in plain words", async () => {
  const { pulse } = worker();
  const messageFor = async (inputs: unknown, options: unknown): Promise<string> =>
    (await rejectionOf("PULSE_INVALID", pulse.run(counting, inputs as never, options as never))).message;
  expect(await messageFor(undefined, call)).toBe(
    'run "run" cannot begin: the inputs are undefined; give an object by input name, or {} where there are none',
  );
  const named = 'give a string that names the version of your code, such as "1"';
  const versions: readonly (readonly [unknown, string])[] = [
    [undefined, `is undefined; ${named}`],
    ["", `is empty; ${named}`],
    [7, `is a number; ${named}`],
    ["a\uD800", 'is "a\\ud800", which has an unpaired surrogate; give one that has none'],
  ];
  for (const [version, told] of versions) {
    expect(await messageFor({ count: 1 }, { runId: "run", version })).toBe(
      `run "run" cannot begin: option version ${told}`,
    );
  }
});

test("DUR-12 an option that is unknown is refused, with the one that was probably meant", async () => {
  const { pulse, store } = worker();
  const odd = { ...call, keepFailur: true, maxresumes: 3, retries: 2 };
  const error = await rejectionOf("PULSE_INVALID", pulse.run(counting, { count: 1 }, odd));
  expect(error.details.problems.map(({ code, path, suggestion }) => [code, path, suggestion])).toEqual([
    ["PULSE_OPTION_INVALID", "keepFailur", "keepFailure"],
    ["PULSE_OPTION_INVALID", "maxresumes", "maxResumes"],
    ["PULSE_OPTION_INVALID", "retries", undefined],
  ]);
  expect(error.message).toContain("option keepFailur is unknown; did you mean keepFailure?");
  expect(error.message).toContain("option retries is unknown; give one of runId, version");
  expect(error.details).toMatchObject({ runId: "run", next: "start" });
  expect(store.acquired).toBe(0);
  const durableOptions = { store: memoryStore(), codec: undefined };
  const refused = await rejectionOf(
    "PULSE_INVALID",
    Promise.resolve().then(() => durable(durableOptions)),
  );
  expect(refused.details.problems).toMatchObject([{ path: "codec", suggestion: "codecs" }]);
});

test("DUR-12 REC-15 a run id that names no run is told as it was given, and calls for another one", async () => {
  const { pulse, store } = worker();
  for (const [runId, told] of [
    ["", ""],
    ["a\uD800", "a\uD800"],
    [undefined, ""],
    [7, ""],
  ]) {
    for (const refusing of [
      pulse.resume(counting, { count: 1 }, { ...call, runId } as never),
      pulse.inspect(runId as never),
      memoryStore().acquire(runId as never),
    ]) {
      const error = await rejectionOf("PULSE_INVALID", refusing);
      expect(error.details).toMatchObject({ runId: told, next: "new-run-id", problems: [{ path: "runId" }] });
    }
  }
  expect(store.acquired).toBe(0);
});

test("DUR-12 durable execution is refused what it cannot be made of, by name", () => {
  const refused = (options: unknown): readonly string[] => {
    try {
      durable(options as never);
    } catch (error) {
      if (isPulseError(error, "PULSE_INVALID")) return error.details.problems.map(({ path }) => path);
      throw error;
    }
    return [];
  };
  expect([undefined, null, {}, { store: {} }].map(refused)).toEqual([["options"], ["options"], ["store"], ["store"]]);
  expect(refused({ store: memoryStore(), codecs: 3, host: {} })).toEqual(["codecs", "host"]);
  expect(refused({ store: memoryStore() })).toEqual([]);
});

test("DUR-24 DUR-25 an execution that beforeStart starts runs no body, since the run is not recorded", async () => {
  const memory = memoryStore();
  bodies.length = 0;
  const beforeStart = (execution: Execution): void => execution.start();
  const error = await rejectionOf(
    "PULSE_USAGE",
    worker(memory).pulse.run(counting, { count: 1 }, { ...call, beforeStart } as RunOptions<typeof counting>),
  );
  await turn();
  expect(error.details).toMatchObject({ rule: "DUR-24", runId: "run", next: "start" });
  expect(bodies).toEqual([]);
  await rejectionOf("PULSE_NOT_FOUND", memory.catalog.read("run"));
});

test("DUR-24 what an async beforeStart rejects with interrupts the run, and is no unhandled rejection", async () => {
  const cause = new Error("later");
  const begun = deferred();
  const waits = graph("waits", {
    nodes: [
      node("wait", {}, (_values, { signal }) => {
        begun.resolve();
        return new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }),
    ],
  });
  const beforeStart = async (): Promise<void> => {
    await begun.promise;
    throw cause;
  };
  // An async function fits the option's type all the same.
  const fitting: () => unknown = beforeStart;
  const error = await rejectionOf(
    "PULSE_INTERRUPTED",
    worker().pulse.run(waits, {}, { ...call, beforeStart: fitting }),
  );
  expect(error.cause).toBe(cause);
});

test("DUR-18 DUR-12 a host that cancels with an error of Pulse's own is told that it cancelled, and no run is begun", async () => {
  const reason = new PulseError("PULSE_NOT_FOUND", "another run", { details: { runId: "another", next: "start" } });
  const memory = memoryStore();
  const canceling = new AbortController();
  const { pulse } = worker({
    acquire: async (runId, options) => {
      const session = await memory.acquire(runId, options);
      return {
        load: async (loading) => {
          canceling.abort(reason);
          return await session.load(loading);
        },
        save: (...saved) => session.save(...saved),
        close: () => session.close(),
      };
    },
  });
  const error = await rejectionOf(
    "PULSE_INTERRUPTED",
    pulse.runOrResume(counting, { count: 1 }, { ...call, signal: canceling.signal }),
  );
  expect([error.cause, error.details.runId]).toEqual([reason, "run"]);
  await rejectionOf("PULSE_NOT_FOUND", memory.catalog.read("run"));
});

test("DUR-12 a run id is shown in messages on one line and not at length", async () => {
  const { pulse } = worker();
  for (const runId of ["x".repeat(10_000), "a\0b", "a\nb"]) {
    const error = await rejectionOf("PULSE_NOT_FOUND", pulse.resume(counting, { count: 1 }, { runId, version: "1" }));
    expect(error.message).toMatch(/^loading run "[\x20-\x7e]{1,121}…?": there is no such run/);
    expect(error.details.runId).toBe(runId);
  }
});

const tokens = key("n", type<number>("token"));
test("DUR-12 calls after close name the run and what to do next", async () => {
  const { pulse } = worker();
  await pulse.close();
  const error = await rejectionOf(
    "PULSE_USAGE",
    pulse.resume(graph("one", { inputs: [tokens], nodes: [] }), { n: 1 }, call),
  );
  expect(error.details).toMatchObject({ rule: "DUR-30", runId: "run", next: "resume" });
});
