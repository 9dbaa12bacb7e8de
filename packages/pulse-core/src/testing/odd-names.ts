import { graph } from "../graph.ts";
import { optional, type AnyKey } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "./keys.ts";
import { part } from "./parts.ts";

/** Names that mean something to Mermaid, to DOT, to HTML or to Markdown. */
export const oddNames = [
  'a"b',
  "end",
  "x\ny",
  "`md`",
  "<b>&amp;<b>",
  "日本",
  "\\N",
  "a]b",
  "#35;",
  "\u0000",
  "\ud800",
  "click",
  "g0",
  "--> x",
  "%% c",
  "{}|()",
  "'",
  ";",
  "constructor",
  "subgraph",
  "**b**",
  "1. x",
  "- y",
  "_a_",
  "a_b-c.d",
];

/** A graph with those names as keys, node ids and names of graphs. */
export function oddGraph() {
  const keys = oddNames.map((name) => anyKey(name));
  const [input, hint, made] = keys as [AnyKey, AnyKey, AnyKey];
  const child = graph('ch"ild]', {
    inputs: [input, optional(hint)],
    outputs: [made],
    nodes: [part('in"ner', [input], [made])],
  });
  return graph('order "x"', {
    inputs: [input, hint],
    outputs: [made, ...keys.slice(3)],
    nodes: [
      mount('m"', child),
      mount("empty", graph("end", { nodes: [] })),
      ...keys.slice(3).map((key) => part(key.name, [hint, optional(made)], [key])),
    ],
  });
}
