import { numberType } from "@pulse-ts/codec";
import { graph, key, mount, node, optional, retry } from "@pulse-ts/core";
import type { Key } from "@pulse-ts/core";

const number = <const Name extends string>(name: Name): Key<Name, number> => key(name, numberType);

const start = number("start");
const hint = number("hint");
const doubled = number("doubled");
const tried = number("tried");
const left = number("left");
const given = number("given");
const scale = number("scale");
const extra = number("extra");
const base = number("base");
const grown = number("grown");
const inner = number("inner");
const result = number("result");
const total = number("total");

/**
 * The graph that the documents of `fixtures/format-1` are runs of: a retry, a skipped node, and a mount in a retried mount.
 * `fails` is asked by each body. Changing the definition makes the documents belong to another graph.
 */
export function olderGraph(
  called: (path: string) => void,
  fails: (path: string, attempt: number) => boolean = failing,
) {
  const begin = ({ path, attempt }: { readonly path: string; readonly attempt: number }): void => {
    called(path);
    if (fails(path, attempt)) throw new Error(`${path} fails at try ${attempt}`);
  };
  const leaf = graph("leaf", {
    inputs: [base, optional(extra)],
    outputs: [inner],
    nodes: [
      node("grow", { requires: [base], provides: [grown] }, ({ base }, context) => {
        begin(context);
        return { grown: base + 1 };
      }),
      node("weigh", { requires: [grown], provides: [inner], aspects: [retry({ limit: 2 })] }, ({ grown }, context) => {
        begin(context);
        return { inner: grown * 10 };
      }),
    ],
  });
  const middle = graph("middle", {
    inputs: [given, scale],
    outputs: [result],
    nodes: [
      mount("leaf", leaf, { in: { base: given } }),
      node("finish", { requires: [inner, scale], provides: [result] }, ({ inner, scale }, context) => {
        begin(context);
        return { result: inner * scale };
      }),
    ],
  });
  return graph("older", {
    inputs: [start, optional(hint)],
    outputs: [total, left],
    nodes: [
      node("double", { requires: [start], provides: [doubled] }, ({ start }, context) => {
        begin(context);
        return { doubled: start * 2 };
      }),
      node(
        "try",
        { requires: [doubled], provides: [tried], aspects: [retry({ limit: 3 })] },
        ({ doubled }, context) => {
          begin(context);
          return { tried: doubled + context.attempt };
        },
      ),
      node("leave", { requires: [doubled, optional(hint)], provides: [left] }, (_values, context) => {
        begin(context);
        return context.skip();
      }),
      mount("nested", middle, { in: { given: tried }, fix: { scale: 4 }, aspects: [retry({ limit: 2 })] }),
      node(
        "sum",
        { requires: [result, doubled, optional(left)], provides: [total] },
        ({ result, doubled }, context) => {
          begin(context);
          return { total: result + doubled };
        },
      ),
    ],
  });
}

/** `try` and `weigh` fail until their last try. */
function failing(path: string, attempt: number): boolean {
  if (path === "try") return attempt < 3;
  return path === "nested/leaf/weigh" && attempt === 1;
}
