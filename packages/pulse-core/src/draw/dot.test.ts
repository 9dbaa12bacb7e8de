import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { oddGraph, oddNames } from "../testing/odd-names.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { toDot } from "./dot.ts";

const user = anyKey("user");
const score = anyKey("score");
const scoring = graph("scoring", { inputs: [user], outputs: [score], nodes: [part("rate", [user], [score])] });

test("CORE-27 toDot() draws nodes, ports and edges, a child as a cluster", () => {
  const shop = graph("shop", {
    inputs: [user],
    outputs: [score],
    nodes: [mount("scored", scoring), part("show", [score, optional(user)], [])],
  });
  expect(toDot(shop)).toBe(`digraph {
  subgraph cluster_g0 {
    label="shop";
    input1 [label="user", shape=oval];
    n7 [label="show", shape=box];
    output2 [label="score", shape=doubleoctagon];
    subgraph cluster_g3 {
      label="scored: scoring";
      input4 [label="user", shape=oval];
      n6 [label="rate", shape=box];
      output5 [label="score", shape=doubleoctagon];
    }
  }
  input4 -> n6;
  n6 -> output5;
  input1 -> input4;
  output5 -> n7 [label="score"];
  input1 -> n7 [style=dashed];
  output5 -> output2;
}
`);
});

const text = String.raw`"(?:[^"\\\n]|\\["\\])*"`;
/** The lines of DOT as Graphviz was seen to take them. No text of a user is outside of the quotes. */
const grammar = [
  /^digraph \{$/,
  /^ *\}$/,
  /^ +subgraph cluster_g\d+ \{$/,
  new RegExp(`^ +label=${text};$`),
  new RegExp(`^ +(n|input|output)\\d+ \\[label=${text}, shape=(box|oval|doubleoctagon)\\];$`),
  new RegExp(`^ +(n|input|output)\\d+ -> (n|input|output)\\d+( \\[(label=${text})?(, )?(style=dashed)?\\])?;$`),
  /^$/,
];

test("V6 CORE-27 no name of a user can break a DOT file", () => {
  const drawn = toDot(oddGraph());
  expect(drawn.split("\n").filter((line) => !grammar.some((form) => form.test(line)))).toEqual([]);
  const labels = [...drawn.matchAll(/label="((?:[^"\\]|\\.)*)"/g)].map(([, label]) =>
    (label as string).replaceAll(/\\(.)/g, "$1").replaceAll("&amp;", "&"),
  );
  // Control characters and lone surrogates cannot be drawn.
  const drawable = oddNames.filter((name) => !/\p{Cc}|\p{Cs}/u.test(name));
  expect(labels).toEqual(expect.arrayContaining(drawable));
});
