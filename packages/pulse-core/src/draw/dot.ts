import type { AnyGraph } from "../mount.ts";
import { topology } from "../topology.ts";
import { drawingOf } from "./drawing.ts";
import type { Box, Cluster } from "./drawing.ts";

/** A valid graph in the DOT language of Graphviz, mounted graphs as clusters, streams as thick arrows (CORE-27). Any name is safe in it. */
export function toDot(graph: AnyGraph): string {
  const { root, arrows } = drawingOf(topology(graph));
  const lines = arrows.map(({ from, to, label, optional, stream }) => {
    const attributes = [
      ...(label === "" ? [] : [`label=${quote(label)}`]),
      ...(optional ? ["style=dashed"] : []),
      ...(stream ? ["penwidth=3"] : []),
    ];
    return `  ${from} -> ${to}${attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`};`;
  });
  return ["digraph {", ...clusterLines(root, "  "), ...lines, "}", ""].join("\n");
}

function clusterLines({ id, label, boxes, clusters }: Cluster, indent: string): string[] {
  return [
    `${indent}subgraph cluster_${id} {`,
    `${indent}  label=${quote(label)};`,
    ...boxes.map(
      ({ id: box, label: text, shape }) => `${indent}  ${box} [label=${quote(text)}, shape=${shapes[shape]}];`,
    ),
    ...clusters.flatMap((cluster) => clusterLines(cluster, `${indent}  `)),
    `${indent}}`,
  ];
}

const shapes: Readonly<Record<Box["shape"], string>> = { node: "box", input: "oval", output: "doubleoctagon" };

/** Graphviz reads backslashes, entities and quotes in a label; a control character would end its reading. */
function quote(text: string): string {
  const safe = text
    .replaceAll(/\p{Cc}|\p{Cs}/gu, "\u{FFFD}")
    .replaceAll("&", "&amp;")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"');
  return `"${safe}"`;
}
