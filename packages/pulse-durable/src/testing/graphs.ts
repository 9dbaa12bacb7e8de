import { createCodecs, defineCodec } from "@pulse-ts/codec";
import type { Codecs } from "@pulse-ts/codec";
import { graph, key, mount, node, optional, retry, type } from "@pulse-ts/core";
import type { Key, TypeToken } from "@pulse-ts/core";

/** Keys and graphs that several tests run. */

export const numberKey = <const Name extends string>(name: Name): Key<Name, number> =>
  key(name, type<number>("number"));

export const start = numberKey("start");
export const doubled = numberKey("doubled");
export const tried = numberKey("tried");
export const left = numberKey("left");
export const inner = numberKey("inner");
export const given = numberKey("given");
export const step = numberKey("step");
export const result = numberKey("result");
export const total = numberKey("total");

/**
 * A graph with all that a crash can meet: a chain, a retry, a skipped branch, a retried mount whose child fails at its
 * first try, and a fan. Deterministic: what a body does depends on its values and its attempt alone.
 */
export function crashGraph(called: (path: string) => void) {
  const child = graph("child", {
    inputs: [given, step],
    outputs: [result],
    nodes: [
      node("first", { requires: [given, step], provides: [inner] }, ({ given, step }, { path }) => {
        called(path);
        return { inner: given + step };
      }),
      node(
        "second",
        { requires: [inner], provides: [result], aspects: [retry({ limit: 2 })] },
        ({ inner }, { path, attempt }) => {
          called(path);
          if (attempt === 1) throw new Error("the first try fails");
          return { result: inner * 10 };
        },
      ),
    ],
  });
  return graph("crashing", {
    inputs: [start],
    outputs: [total, left],
    nodes: [
      node("double", { requires: [start], provides: [doubled] }, ({ start }, { path }) => {
        called(path);
        return { doubled: start * 2 };
      }),
      node(
        "try",
        { requires: [doubled], provides: [tried], aspects: [retry({ limit: 3 })] },
        ({ doubled }, { path, attempt }) => {
          called(path);
          if (attempt < 3) throw new Error("not yet");
          return { tried: doubled + attempt };
        },
      ),
      node("leave", { requires: [doubled], provides: [left] }, (_values, context) => {
        called(context.path);
        return context.skip();
      }),
      mount("child", child, { in: { given: tried }, fix: { step: 4 } }),
      node(
        "sum",
        { requires: [result, doubled, optional(left)], provides: [total] },
        ({ result, doubled, left = 1 }, { path }) => {
          called(path);
          return { total: result + doubled + left };
        },
      ),
    ],
  });
}

/** A chain of n nodes after the input `start`; its output is `last`. */
export function chainGraph(length: number, called: (id: string) => void = () => {}) {
  const links = Array.from({ length }, (_, at) => numberKey(`link${at}`));
  const last = links[length - 1] as Key<string, number>;
  const nodes = links.map((link, at) => {
    const before: Key<string, number> = links[at - 1] ?? start;
    return node(`node${at}`, { requires: [before], provides: [link] }, (values) => {
      called(`node${at}`);
      return { [link.name]: ((values as Record<string, number>)[before.name] ?? Number.NaN) + 1 };
    });
  });
  return { graph: graph("chain", { inputs: [start], outputs: [last], nodes }), last };
}

/** A number codec that counts, for one type token. */
export function countingCodec<Value>(type: TypeToken<Value>, id = "counted") {
  const counts = { encoded: 0, decoded: 0 };
  const codec = defineCodec<TypeToken<Value>, Value>({
    type,
    id,
    version: "1",
    encode(value) {
      counts.encoded += 1;
      return new TextEncoder().encode(JSON.stringify(value));
    },
    decode(bytes) {
      counts.decoded += 1;
      return JSON.parse(new TextDecoder().decode(bytes)) as Value;
    },
  });
  const codecs: Codecs = createCodecs();
  codecs.register(codec);
  return { codecs, codec, counts };
}
