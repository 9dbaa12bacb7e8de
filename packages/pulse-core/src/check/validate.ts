import type { Problem } from "../errors.ts";
import { invalid } from "../invalid.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import type { AnyGraph } from "../mount.ts";
import { checkKeyConflicts } from "./conflict.ts";
import { checkCycles } from "./cycle.ts";
import { checkMounts } from "./mounts.ts";
import { checkNames } from "./names.ts";
import { checkProviders, providersOf } from "./providers.ts";
import { checkRepeated } from "./repeated.ts";
import { wordOf } from "./place.ts";
import { reporter } from "./problem.ts";
import { checkUnprovided } from "./unprovided.ts";
import { viewOf } from "./view.ts";

/** Graphs that have passed. They are frozen, so it stays true. */
const valid = new WeakSet<AnyGraph>();

/**
 * Everything that is wrong with a graph (CORE-26), nothing if it is valid. Never throws, whatever it is given; the cost is
 * linear in nodes and edges. A graph made by `graph` has been looked at and has no problems.
 */
export function problemsOf(graph: AnyGraph): readonly Problem[] {
  return collect(graph, new Set());
}

/**
 * Refuses a graph that is not valid, also one that was not made by `graph` (CORE-26). Needs no host: outputs need not be
 * subscribed (CKPT-39).
 * @throws PULSE_INVALID with all problems
 */
export function validate(graph: AnyGraph): void {
  const problems = problemsOf(graph);
  if (problems.length > 0) throw invalid(`graph "${wordOf(graph?.name)}"`, problems);
}

function collect(graph: AnyGraph, above: Set<AnyGraph>): readonly Problem[] {
  if (valid.has(graph)) return [];
  if (above.has(graph))
    return [{ code: "PULSE_CYCLE", path: graph.name, message: `graph "${graph.name}" mounts itself` }];
  const problems: Problem[] = [];
  const report = reporter(problems);
  const view = viewOf(graph, report, (child, path) => {
    const inside = collect(child, new Set([...above, graph]));
    for (const found of inside) problems.push({ ...found, path: `${path}/${found.path}` });
    return inside.length === 0;
  });
  const providers = providersOf(view);
  checkNames(view, graph?.name, report);
  checkKeyConflicts(view, report);
  checkRepeated(view, report);
  checkProviders(view, providers, report);
  checkUnprovided(view, providers, report);
  checkMounts(view, report);
  checkCycles(view, providers, report);
  // A child's streams may end at its mount, where the parent has no stream key.
  const ports = view.parts.flatMap(({ mount }) => (mount ? [...mount.graph.outputs, ...mount.graph.inputs] : []));
  const kind = [...view.keys.keys(), ...ports.map(keyOfEntry)].find(({ stream }) => stream)?.stream?.kind;
  if (problems.length === 0) kind?.check(graph, report);
  if (problems.length === 0 && isFrozen(graph)) valid.add(graph);
  return problems;
}

/** Deep enough: what `graph`, `node` and `mount` make. */
const isFrozen = (graph: AnyGraph): boolean =>
  [graph, graph.nodes, graph.inputs, graph.outputs, ...graph.nodes].every(Object.isFrozen);
