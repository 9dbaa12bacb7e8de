import type { AnyGraph } from "../mount.ts";
import { topology } from "../topology.ts";
import { drawingOf } from "./drawing.ts";
import type { Box, Cluster } from "./drawing.ts";

/** A valid graph as a Mermaid flowchart, mounted graphs as subgraphs, streams as thick arrows (CORE-27). Any name is safe in it. */
export function toMermaid(graph: AnyGraph): string {
  const { root, arrows } = drawingOf(topology(graph));
  const lines = arrows.map(({ from, to, label, optional, stream }) => {
    // Streams are thick, what is optional is dotted; no arrow of Mermaid is both.
    const line = stream ? "==>" : optional ? "-.->" : "-->";
    return `  ${from} ${line}${label === "" ? "" : `|"${escape(label)}"|`} ${to}`;
  });
  return ["flowchart TD", ...clusterLines(root, "  "), ...lines, ""].join("\n");
}

function clusterLines({ id, label, boxes, clusters }: Cluster, indent: string): string[] {
  return [
    `${indent}subgraph ${id}["${escape(label)}"]`,
    ...boxes.map((box) => `${indent}  ${boxText(box)}`),
    ...clusters.flatMap((cluster) => clusterLines(cluster, `${indent}  `)),
    `${indent}end`,
  ];
}

function boxText({ id, label, shape }: Box): string {
  const text = `"${escape(label)}"`;
  if (shape === "node") return `${id}[${text}]`;
  return shape === "input" ? `${id}([${text}])` : `${id}[[${text}]]`;
}

/**
 * Mermaid reads `#35;` as the character of that number. Letters and digits of all scripts need no escape; `_`, `.` and `-`
 * need none inside a word, but at its ends they could be a list or emphasis of Markdown.
 */
const escape = (text: string): string =>
  text.replaceAll(
    /[^\p{L}\p{M}\p{N} :()_.-]|(?<![\p{L}\p{N}])[_.-]|[_.-](?![\p{L}\p{N}])/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
