import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { aspect, graph, mount, node, retry, run, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { rejectionOf } from "../testing/rejection.ts";

/** Answers no question about itself. */
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("trap");
    },
    has: () => {
      throw new Error("trap");
    },
    getPrototypeOf: () => {
      throw new Error("trap");
    },
    ownKeys: () => {
      throw new Error("trap");
    },
  },
);

const values: readonly (readonly [string, unknown])[] = [
  ["a string", "no"],
  ["undefined", undefined],
  ["null", null],
  ["a number", 0],
  ["a symbol", Symbol("no")],
  ["a frozen error", Object.freeze(new Error("frozen"))],
  ["an error of another realm", runInNewContext("new Error('elsewhere')") as unknown],
  ["an abort error", new DOMException("no", "AbortError")],
  ["a proxy that answers nothing", hostile],
  ["a function", () => "no"],
];

/** Compares without asking the value anything, which a hostile proxy would not survive. */
const same = (left: unknown, right: unknown): boolean => Object.is(left, right);

describe.each(bothWays)("$how", ({ as }) => {
  const throwing = (thrown: unknown, aspects: readonly ReturnType<typeof aspect>[] = []) =>
    graph("throwing", {
      inputs: [],
      outputs: [],
      nodes: [
        node("fails", { aspects }, () =>
          as(() => {
            throw thrown;
          }),
        ),
      ],
    });

  test.each(values)("G9 CORE-37 %s that a body throws is the cause, by identity", async (_name, thrown) => {
    const log = eventLog();
    const failed = await rejectionOf(
      run(throwing(thrown), {}, { observers: [log.observer] }),
      "PULSE_EXECUTION_FAILED",
    );
    expect("cause" in failed).toBe(true);
    expect(same(failed.cause, thrown)).toBe(true);
    expect(failed.details.path).toBe("fails");
    const finished = log.events.find((event) => event.kind === "node-finished");
    expect(finished !== undefined && "error" in finished && same(finished.error, thrown)).toBe(true);
  });

  test.each(values)("G9 CORE-37 %s comes through aspects and a mount unchanged", async (_name, thrown) => {
    const passing = aspect("passing", async (_context, next) => next());
    const inner = throwing(thrown, [passing, retry({ limit: 2 }), timeout(1_000)]);
    const outer = graph("outer", { inputs: [], outputs: [], nodes: [mount("child", inner, { aspects: [passing] })] });
    const failed = await rejectionOf(run(outer, {}, { host: fakeHost() }), "PULSE_EXECUTION_FAILED");
    expect(same(failed.cause, thrown)).toBe(true);
    expect(failed.details.path).toBe("child/fails");
  });
});
