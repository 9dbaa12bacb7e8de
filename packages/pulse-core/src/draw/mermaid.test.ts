import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { oddGraph, oddNames } from "../testing/odd-names.ts";
import { anyKey, numberKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { toMermaid } from "./mermaid.ts";

const user = anyKey("user");
const limit = numberKey("limit");
const score = anyKey("score");
const scoring = graph("scoring", {
  inputs: [user, limit],
  outputs: [score],
  nodes: [part("rate", [user, limit], [score])],
});

test("CORE-27 toMermaid() draws nodes, ports and edges, a child as a subgraph", () => {
  const shop = graph("shop", {
    inputs: [user],
    outputs: [score],
    nodes: [mount("scored", scoring, { fix: { limit: 10 } }), part("show", [score, optional(user)], [])],
  });
  expect(toMermaid(shop)).toBe(`flowchart TD
  subgraph g0["shop"]
    input1(["user"])
    n8["show"]
    output2[["score"]]
    subgraph g3["scored: scoring"]
      input4(["user"])
      input5(["limit (fixed)"])
      n7["rate"]
      output6[["score"]]
    end
  end
  input4 --> n7
  input5 --> n7
  n7 --> output6
  input1 --> input4
  output6 -->|"score"| n8
  input1 -.-> n8
  output6 --> output2
`);
});

/** The lines of a flowchart as Mermaid 11 was seen to take them. No text of a user is outside of the quotes. */
const grammar = [
  /^flowchart TD$/,
  /^ +subgraph g\d+\["[^"\n]*"\]$/,
  /^ +end$/,
  /^ +(n\d+\["[^"\n]+"\]|input\d+\(\["[^"\n]+"\]\)|output\d+\[\["[^"\n]+"\]\])$/,
  /^ +(n|input|output)\d+ (-->|-\.->)(\|"[^"\n]+"\|)? (n|input|output)\d+$/,
  /^$/,
];

test("V6 CORE-27 no name of a user can break a flowchart", () => {
  const text = toMermaid(oddGraph());
  expect(text.split("\n").filter((line) => !grammar.some((form) => form.test(line)))).toEqual([]);
  const inside = [...text.matchAll(/"([^"\n]*)"/g)].map(([, label]) => label as string);
  // Inside of the quotes: letters, digits, spaces, joining marks, and characters by number.
  for (const label of inside)
    expect(label).toMatch(/^([\p{L}\p{N} :()]|#\d+;|(?<=[\p{L}\p{N}])[_.-](?=[\p{L}\p{N}]))+$/u);
  const read = inside.map((label) => label.replaceAll(/#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code))));
  expect(read).toEqual(expect.arrayContaining(oddNames));
});
