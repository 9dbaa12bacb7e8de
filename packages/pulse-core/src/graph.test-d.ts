import { describe, expectTypeOf, test } from "vitest";
import { graph, key, node, optional, skipped, type } from "./index.ts";
import type { AnyGraph, AnyKey, Graph, InputsOf, Mount, Node, OutputsOf } from "./index.ts";

const url = key("url", type<string>());
const hint = key("hint", type<number>());
const page = key("page", type<{ readonly title: string }>());
const size = key("size", type<number>());

const download = node("download", { requires: [url, optional(hint)], provides: [page] }, ({ url: at }) => ({
  page: { title: at },
}));
const measure = node("measure", { requires: [page], provides: [size] }, ({ page: { title } }) => ({
  size: title.length,
}));

describe("CORE-25 what TypeScript refuses of a graph", () => {
  test("CORE-25 a key that nobody provides", () => {
    graph("order", {
      outputs: [size],
      nodes: [
        // @ts-expect-error no provider for key: page
        measure,
      ],
    });
  });

  test("CORE-25 an optional key that nobody provides", () => {
    graph("order", {
      inputs: [url],
      nodes: [
        // @ts-expect-error no provider for key: hint
        download,
        measure,
      ],
    });
  });

  test("CORE-25 a key with two providers, on each of them", () => {
    graph("order", {
      inputs: [page],
      nodes: [
        // @ts-expect-error two providers for key: size
        measure,
        // @ts-expect-error two providers for key: size
        node("again", { provides: [size] }, () => ({ size: 1 })),
      ],
    });
  });

  test("CORE-25 a key that is an input and is provided", () => {
    graph("order", {
      inputs: [url, hint, page],
      nodes: [
        // @ts-expect-error two providers for key: page
        download,
      ],
    });
  });

  test("CORE-25 one node twice", () => {
    graph("order", {
      inputs: [page],
      nodes: [
        // @ts-expect-error two providers for key: size
        measure,
        // @ts-expect-error two providers for key: size
        measure,
      ],
    });
  });

  test("CORE-25 an output that nobody provides", () => {
    graph("order", {
      inputs: [page],
      outputs: [
        size,
        // @ts-expect-error no provider for key: url
        url,
      ],
      nodes: [measure],
    });
  });

  test("CORE-25 optional() where a key is written", () => {
    // @ts-expect-error an output is a key
    graph("order", { inputs: [url], outputs: [optional(url)], nodes: [] });
  });
});

describe("CORE-25 what fits", () => {
  test("CORE-25 nodes in any order, pass-through outputs, no inputs", () => {
    const order = graph("order", { inputs: [url, optional(hint)], outputs: [size, url], nodes: [measure, download] });
    expectTypeOf(order).toExtend<AnyGraph>();
    expectTypeOf(order).toExtend<Graph>();
    graph("nothing", { nodes: [] });
  });

  test("CORE-26 nodes and keys out of loops are left to the run-time check", () => {
    const nodes: Node[] = [];
    const keys: AnyKey[] = [];
    const mixed: (Node | Mount)[] = [];
    graph("order", { nodes });
    graph("order", { inputs: [url], outputs: keys, nodes: [...nodes, ...mixed, measure] });
    graph("order", { outputs: [size], nodes });
    const numbered = ["1", "2"].map((each) => key(`k${each}` as `k${number}`, type<number>()));
    const write = numbered.map((made) => node(`write-${made.name}`, { provides: [made] }, () => ({ [made.name]: 1 })));
    const k1 = key("k1", type<number>());
    graph("order", {
      inputs: [k1],
      nodes: [write[0] as Node<never, `k${number}`>, write[1] as Node<never, `k${number}`>],
    });
  });

  test("CORE-26 a loop does not hide what is known", () => {
    const loose: Node<"url", "page">[] = [];
    graph("order", {
      nodes: [
        // @ts-expect-error no provider for key: url
        ...loose,
        // @ts-expect-error no provider for key: hint
        node("read", { requires: [hint] }, () => {}),
      ],
    });
  });
});

describe("CORE-25 the inputs of an execution", () => {
  const order = graph("order", { inputs: [url, optional(hint)], outputs: [size, hint], nodes: [download, measure] });
  type Inputs = InputsOf<typeof order>;

  test("CORE-41 an optional input may be left out or skipped, a required one may not", () => {
    expectTypeOf<{ url: string }>().toExtend<Inputs>();
    expectTypeOf<{ url: string; hint: number }>().toExtend<Inputs>();
    expectTypeOf<{ url: string; hint: typeof skipped }>().toExtend<Inputs>();
    expectTypeOf<{ hint: number }>().not.toExtend<Inputs>();
    expectTypeOf<{ url: typeof skipped }>().not.toExtend<Inputs>();
  });

  test("CORE-25 inputs of a wrong type or name are refused", () => {
    expectTypeOf<{ url: number }>().not.toExtend<Inputs>();
    // @ts-expect-error there is no such input
    const more: Inputs = { url: "", urls: "" };
    void more;
  });

  test("CORE-2 outputs have the types of their keys", () => {
    expectTypeOf<OutputsOf<typeof order>>().toEqualTypeOf<{ readonly size: number; readonly hint: number }>();
  });

  test("CORE-25 a graph without inputs takes an empty object", () => {
    const none = graph("none", { nodes: [] });
    expectTypeOf<Record<never, never>>().toExtend<InputsOf<typeof none>>();
  });
});
