import type { AnyGraph } from "@pulse-ts/core";

/** The paths of all bodies of a graph, mounted ones included, in the order in which they are written down. */
export function stepsOf(graph: AnyGraph, above = ""): string[] {
  return graph.nodes.flatMap((node) =>
    node.kind === "mount" ? stepsOf(node.graph, `${above}${node.id}/`) : [`${above}${node.id}`],
  );
}

/** Whether a step is the one of that path, or one inside the mount of that path. */
export const isWithin = (step: string, path: string): boolean => step === path || step.startsWith(`${path}/`);
