import { expect, test } from "vitest";
import { graph, isPulseError, key, node, run, systemHost, type } from "../index.ts";
import type { ExecutionOptions } from "../index.ts";

const count = key("count", type<number>("count"));
const one = graph("one", { inputs: [count], nodes: [node("take", { requires: [count] }, () => {})] });

/** The messages that a call is refused with. */
async function refusedFor(call: Promise<unknown>): Promise<readonly string[]> {
  try {
    await call;
  } catch (error) {
    if (isPulseError(error, "PULSE_INVALID")) return error.details.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

test("CORE-26 what is no graph is refused as one, and not by chance", async () => {
  for (const odd of [undefined, null, {}, "one", graph]) {
    expect(await refusedFor(run(odd as never, {}))).not.toEqual([]);
  }
});

test("CORE-29 a signal, observers and a host that are none are refused by name", async () => {
  const options = { signal: {}, observers: [3], host: { now: () => 0 } };
  expect(await refusedFor(run(one, { count: 1 }, options as never))).toEqual([
    expect.stringContaining("option signal"),
    expect.stringContaining("option observers"),
    expect.stringContaining("option host"),
  ]);
  expect(await refusedFor(run(one, { count: 1 }, { observers: "x" } as never))).toHaveLength(1);
});

test("CORE-28 inputs that throw when they are read are refused, whatever they throw", async () => {
  const throwing = {
    get count(): number {
      throw "no";
    },
  };
  const proxy = new Proxy(
    { count: 1 },
    {
      ownKeys: () => {
        throw new Error("trap");
      },
    },
  );
  expect(await refusedFor(run(one, throwing))).toEqual([expect.stringContaining("no")]);
  expect(await refusedFor(run(one, proxy))).toEqual([expect.stringContaining("trap")]);
});

test("CORE-29 an option that is unknown is refused by name, with the one that was meant", async () => {
  const options = { time_out: 3, observer: [], retries: 2 };
  expect(await refusedFor(run(one, { count: 1 }, options as never))).toEqual([
    "option time_out is unknown; give timeout",
    "option observer is unknown; give observers",
    expect.stringMatching(
      /^option retries is unknown; give one of signal, deadline, timeout, concurrency, .*checkpoint$/,
    ),
  ]);
});

test("CORE-29 every option that there is is known", async () => {
  const options: Required<Omit<ExecutionOptions, "checkpoint">> = {
    signal: new AbortController().signal,
    deadline: Infinity,
    timeout: Infinity,
    concurrency: 1,
    aspects: [],
    observers: [],
    name: "named",
    drainTimeout: 0,
    overrides: {},
    host: systemHost,
    attachments: [],
  };
  expect((await run(one, { count: 1 }, options)).values).toEqual({});
});
