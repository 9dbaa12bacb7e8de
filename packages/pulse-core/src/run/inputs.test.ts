import { expect, test, vi } from "vitest";
import { z } from "zod";
import { graph, key, node, optional, run, skipped, type StandardSchema } from "../index.ts";
import { numberKey, textKey } from "../testing/keys.ts";
import { rejectionOf } from "../testing/rejection.ts";

const url = key("url", z.url());
const limit = key("limit", z.coerce.number().int());
const title = textKey("title");
const made = textKey("made");

const body = vi.fn(({ url: given, limit: most }: { url: string; limit: number | undefined }) => ({
  made: `${given} ${most ?? "none"}`,
}));
const sample = graph("sample", {
  inputs: [url, optional(limit)],
  outputs: [made],
  nodes: [node("make", { requires: [url, optional(limit)], provides: [made] }, (values) => body(values))],
});

const refusals: readonly (readonly [string, unknown, readonly (readonly [string, string])[]])[] = [
  ["a missing one", {}, [["PULSE_INPUT_MISSING", "url"]]],
  ["an unknown one", { url: "https://example.org", uri: 1 }, [["PULSE_INPUT_UNKNOWN", "uri"]]],
  ["an invalid one", { url: "no url" }, [["PULSE_INPUT_INVALID", "url"]]],
  ["undefined for a required one that its schema refuses", { url: undefined }, [["PULSE_INPUT_INVALID", "url"]]],
  ["skipped for a required one", { url: skipped }, [["PULSE_INPUT_INVALID", "url"]]],
  [
    "all of them at once",
    { limit: "many", other: 1 },
    [
      ["PULSE_INPUT_MISSING", "url"],
      ["PULSE_INPUT_INVALID", "limit"],
      ["PULSE_INPUT_UNKNOWN", "other"],
    ],
  ],
];

test.each(refusals)("CORE-28 inputs with %s are refused before anything runs", async (_name, inputs, expected) => {
  body.mockClear();
  const events: string[] = [];
  const running = run(sample, inputs as never, { observers: [(event) => void events.push(event.kind)] });
  const { details } = await rejectionOf(running, "PULSE_INVALID");
  expect(details.problems.map(({ code }) => code).sort()).toEqual(expected.map(([code]) => code).sort());
  for (const [code, name] of expected) {
    expect(details.problems.find((problem) => problem.code === code)?.message).toContain(`"${name}"`);
  }
  expect(body).not.toHaveBeenCalled();
  expect(events).toEqual([]);
});

test("CORE-28 what a schema makes of an input is what bodies read", async () => {
  expect((await run(sample, { url: "https://example.org", limit: "7" })).values.made).toBe("https://example.org 7");
});

test("CORE-28 a schema that answers asynchronously is refused, by key, and its rejection is handled", async () => {
  const later: StandardSchema<string> = {
    "~standard": { version: 1, vendor: "test", validate: () => Promise.reject(new Error("later")) },
  };
  const slow = key("slow", later);
  const reading = graph("reading", { inputs: [slow], nodes: [node("read", { requires: [slow] }, () => {})] });
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const { details } = await rejectionOf(run(reading, { slow: "x" }), "PULSE_INVALID");
    expect(details.problems.map(({ code }) => code)).toEqual(["PULSE_INPUT_ASYNC"]);
    expect(details.problems[0]?.message).toContain('"slow"');
    await new Promise((resolve) => void setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("CORE-28 a schema that throws is an invalid input, by key", async () => {
  const broken: StandardSchema<string> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => {
        throw new Error("broken");
      },
    },
  };
  const odd = key("odd", broken);
  const reading = graph("reading", { inputs: [odd], nodes: [node("read", { requires: [odd] }, () => {})] });
  const { details } = await rejectionOf(run(reading, { odd: "x" }), "PULSE_INVALID");
  expect(details.problems.map(({ code }) => code)).toEqual(["PULSE_INPUT_INVALID"]);
});

test("CORE-28 the host's object is read once, at the start: changing it later changes nothing", async () => {
  const inputs = { title: "before" };
  const reading = graph("reading", {
    inputs: [title],
    outputs: [made],
    nodes: [
      node("read", { requires: [title], provides: [made] }, async (values) => {
        await Promise.resolve();
        return { made: values.title };
      }),
    ],
  });
  const running = run(reading, inputs);
  inputs.title = "after";
  expect((await running).values.made).toBe("before");
});

test("CORE-41 an optional root input may be left out or given as skipped: it reads as absent", async () => {
  expect((await run(sample, { url: "https://example.org" })).values.made).toBe("https://example.org none");
  expect((await run(sample, { url: "https://example.org", limit: skipped })).values.made).toBe(
    "https://example.org none",
  );
});

test("CORE-41 an optional input left out is skipped for a node that requires it without option", async () => {
  const strict = graph("strict", {
    inputs: [optional(title)],
    outputs: [made],
    nodes: [node("make", { requires: [title], provides: [made] }, (values) => ({ made: values.title }))],
  });
  expect((await run(strict, {})).outputs).toEqual({ made: { state: "skipped" } });
  expect((await run(strict, { title: "here" })).values.made).toBe("here");
});

test("CORE-41 CORE-3 undefined given for an optional input of a type that takes it is a value, no skip", async () => {
  const maybe = key("maybe", z.undefined().or(z.string()));
  const reading = graph("reading", { inputs: [optional(maybe)], outputs: [maybe], nodes: [] });
  expect((await run(reading, { maybe: undefined })).outputs).toEqual({ maybe: { state: "ready", value: undefined } });
});

test("CORE-28 inputs named like properties of every object are plain names", async () => {
  const odd = [numberKey("constructor"), numberKey("toString"), numberKey("hasOwnProperty")] as const;
  const total = numberKey("total");
  const summing = graph("summing", {
    inputs: odd,
    outputs: [total],
    nodes: [
      node("sum", { requires: odd, provides: [total] }, (_values, context) => ({
        total: odd.reduce((sum, each) => sum + context.get(each), 0),
      })),
    ],
  });
  expect((await run(summing, { constructor: 1, toString: 2, hasOwnProperty: 3 })).values.total).toBe(6);
  const { details } = await rejectionOf(run(summing, {} as never), "PULSE_INVALID");
  expect(details.problems.map(({ code }) => code)).toEqual([
    "PULSE_INPUT_MISSING",
    "PULSE_INPUT_MISSING",
    "PULSE_INPUT_MISSING",
  ]);
});
