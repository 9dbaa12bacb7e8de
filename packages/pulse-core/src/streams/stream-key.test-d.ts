import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { execution, graph, key, mount, node, optional, run, type } from "../index.ts";
import type { Node, OutcomeOf } from "../index.ts";
import { handleMessages, reading, stream } from "./index.ts";
import type { StreamDelivery, StreamKey, StreamReader, StreamWriter } from "./index.ts";

const lines = stream("lines", type<string>(), { capacity: 4, position: type<{ byte: number }>() });
const pages = stream("pages", z.object({ title: z.string(), size: z.string().transform(Number) }), { capacity: 1 });
const count = key("count", type<number>());

describe("STR-1 a stream key carries the type of its messages", () => {
  test("STR-1 from a token or a schema, and the type of its positions", () => {
    expectTypeOf(lines).toEqualTypeOf<StreamKey<"lines", string, { byte: number }>>();
    expectTypeOf(pages).toEqualTypeOf<StreamKey<"pages", { title: string; size: number }>>();
    // @ts-expect-error a stream has a capacity
    stream("s", type<string>(), {});
    expectTypeOf(key("one", lines.type)).toExtend<{ readonly name: "one" }>();
  });

  test("STR-38 its writer is opened by the node that provides it, and takes its messages", () => {
    node("write", { provides: [lines] }, async (_values, context) => {
      const writer = await context.open(lines);
      expectTypeOf(writer).toEqualTypeOf<StreamWriter<string, { byte: number }>>();
      expectTypeOf(writer.position()).toEqualTypeOf<{ byte: number } | undefined>();
      await writer.send("a");
      await writer.sendAt({ byte: 1 }, "a");
      // @ts-expect-error a number is no line
      await writer.send(1);
      // @ts-expect-error a number is no position
      await writer.sendAt(1, "a");
      // @ts-expect-error pages is not provided
      await context.open(pages);
    });
  });

  test("STR-38 a node that provides a stream returns its plain keys alone", () => {
    expectTypeOf(node("a", { provides: [lines] }, () => {})).toEqualTypeOf<Node<never, "lines">>();
    node("b", { provides: [lines, count] }, () => ({ count: 1 }));
    // @ts-expect-error count is missing
    node("c", { provides: [lines, count] }, () => {});
  });

  test("STR-6 a required stream arrives as its reader, also in a group or optional", () => {
    node("a", { requires: [lines, reading(pages, { group: "g" })] }, async (values, context) => {
      expectTypeOf(values.lines).toEqualTypeOf<StreamReader<string>>();
      expectTypeOf(values.pages).toEqualTypeOf<StreamReader<{ title: string; size: number }>>();
      expectTypeOf(context.get(lines)).toEqualTypeOf<StreamReader<string>>();
      expectTypeOf(await values.lines.receive()).toEqualTypeOf<StreamDelivery<string> | undefined>();
      for await (const { value, sequence } of values.lines) {
        expectTypeOf(value).toEqualTypeOf<string>();
        expectTypeOf(sequence).toEqualTypeOf<number>();
      }
      for await (const value of values.lines.values()) expectTypeOf(value).toEqualTypeOf<string>();
    });
    node("b", { requires: [optional(lines)] }, (values) => {
      expectTypeOf(values.lines).toEqualTypeOf<StreamReader<string> | undefined>();
    });
  });
});

const write = node("write", { provides: [lines, count] }, async () => ({ count: 1 }));
const read = node("read", { requires: [lines] }, async () => {});

describe("STR-11 streams are no values of an outcome, and no input of a host", () => {
  test("STR-11 the outcome has the plain outputs", () => {
    const feed = graph("feed", { outputs: [lines, count], nodes: [write] });
    expectTypeOf<OutcomeOf<typeof feed>["values"]>().toEqualTypeOf<{ readonly count: number }>();
    expectTypeOf(execution(feed, {}).subscribe(lines)).toEqualTypeOf<StreamReader<string>>();
    const needs = graph("needs", { inputs: [lines], nodes: [read] });
    // @ts-expect-error no host gives a stream
    void run(needs, { lines: ["a"] });
  });

  test("STR-14 CORE-25 wiring is checked: a provider for each stream, and mounts of streams that fit", () => {
    // @ts-expect-error nobody provides lines
    graph("g", { nodes: [read] });
    const reads = graph("reads", { inputs: [lines], nodes: [read] });
    // @ts-expect-error a stream of pages is no stream of lines
    mount("m", reads, { in: { lines: pages } });
    // @ts-expect-error a number is no stream
    mount("m", reads, { in: { lines: count } });
  });
});

test("STR-15 STR-18 a handler gets a message, and a state of the type that its options name", () => {
  node("sum", { requires: [lines], provides: [count] }, async (values) => ({
    count: await handleMessages(
      values.lines,
      (message, { state, set, send }) => {
        expectTypeOf(message.value).toEqualTypeOf<string>();
        expectTypeOf(state.get()).toEqualTypeOf<{ n: number } | undefined>();
        state.set({ n: 1 });
        set(count, 1);
        // @ts-expect-error a text is no count
        set(count, "1");
        send(lines, "a");
        // @ts-expect-error a number is no line
        send(lines, 1);
      },
      { state: type<{ n: number }>(), limit: 2 },
    ),
  }));
});

test("STR-18 what handleMessages resolves with has the state of that type, and stands for a key", () => {
  node("sum", { requires: [lines], provides: [count] }, async (values) => {
    const handled = await handleMessages(values.lines, () => {}, { state: type<{ n: number }>() });
    expectTypeOf(handled.state).toEqualTypeOf<{ n: number } | undefined>();
    return { count: handled.state?.n ?? handled };
  });
});
