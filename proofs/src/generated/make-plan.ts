import { makeGraph } from "./make-graph.ts";
import type { Made } from "./make-graph.ts";
import { randomOf } from "./random.ts";
import type { BodyPlan, GraphPlan, PlanValue, RunPlan } from "./run-plan.ts";

/** Bodies and mounts of a generated graph, all levels together, unless another size is asked for. */
export const planSizeDefault = 12;

/**
 * A random run. How it ends does not depend on chance, time or what runs first, so that it can be held against itself: of
 * failures that nothing absorbs there is one at most, and a short timeout stands around what would never end by itself.
 */
export function makePlan(seed: number, size = planSizeDefault): RunPlan {
  const random = randomOf(seed);
  const retryAll = random.chance(0.15) ? 2 : undefined;
  const made: Made = { size, mountTimeouts: 0, graphs: 0, hangs: false, limiters: 2 };
  const graph = makeGraph({
    random,
    made,
    depth: 0,
    around: { retryAll, weight: 1, retries: [], caught: [], timed: [] },
  });
  const doomed = random.chance(0.2) ? doom(graph, random.between(0, 1_000)) : graph;
  const value = (): PlanValue => ({ sum: random.between(0, 99), text: "given" });
  const given = graph.inputs.map(({ name, optional }): readonly [string, PlanValue | undefined] => [
    name,
    optional && random.chance(0.5) ? undefined : value(),
  ]);
  const bodies = graph.nodes.filter((node): node is BodyPlan => node.kind === "body");
  const overridden = random.chance(0.2) ? bodies[random.between(0, bodies.length - 1)] : undefined;
  const overriddenKey = overridden?.provides[0];
  const byKey = random.chance(0.5);
  return {
    seed,
    graph: doomed,
    inputs: Object.fromEntries(given),
    ...(retryAll === undefined ? {} : { retryAll }),
    // A body that hangs would keep its place, and others waiting for theirs inside a timeout.
    ...(!made.hangs && random.chance(0.3) ? { concurrency: random.between(1, 3) } : {}),
    limiters: [1, 2],
    overriddenKeys: byKey && overriddenKey !== undefined ? { [overriddenKey]: value() } : {},
    overriddenNodes: !byKey && overridden !== undefined ? [overridden.id] : [],
    isolate: random.chance(0.7),
    keepFailure: random.chance(0.3),
    verify: random.chance(0.2),
  };
}

/** Makes one body fail in every try, one that no aspect around it catches. Unchanged when there is none. */
function doom(graph: GraphPlan, pick: number): GraphPlan {
  const places = doomable(graph);
  const chosen = places[pick % Math.max(1, places.length)];
  return chosen === undefined ? graph : withDoomed(graph, chosen);
}

const catches = ({ aspects }: { readonly aspects: readonly { readonly kind: string }[] }): boolean =>
  aspects.some(({ kind }) => kind === "catch");

/** Paths, as lists of node ids, of bodies that may be doomed. */
function doomable({ nodes }: GraphPlan): readonly (readonly string[])[] {
  return nodes.flatMap((node): readonly (readonly string[])[] => {
    if (catches(node)) return [];
    if (node.kind === "mount") return doomable(node.child).map((path) => [node.id, ...path]);
    return node.fails === undefined && node.deed === "value" ? [[node.id]] : [];
  });
}

function withDoomed(graph: GraphPlan, [id, ...rest]: readonly string[]): GraphPlan {
  const nodes = graph.nodes.map((node) => {
    if (node.id !== id) return node;
    if (node.kind === "mount") return { ...node, child: withDoomed(node.child, rest) };
    return { ...node, fails: { how: "throw" as const } };
  });
  return { ...graph, nodes };
}
