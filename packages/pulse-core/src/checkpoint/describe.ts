import type { Aspect } from "../aspects/aspect.ts";
import { effectiveChain } from "../aspects/effective-chain.ts";
import { compile } from "../compile.ts";
import type { CompiledGraph, CompiledNode } from "../compile.ts";
import { invalid } from "../invalid.ts";
import type { AnyKey } from "../key.ts";
import type { AnyGraph } from "../mount.ts";

/** One node of a graph and of the graphs mounted in it (CKPT-27). */
export interface NodeDescription {
  readonly kind: "node" | "mount";
  readonly id: string;
  /** `mount/inner/node`. */
  readonly path: string;
  /** The graph that the node stands in. */
  readonly graph: string;
  /** The path of the mount that the graph is mounted at; empty at the root. */
  readonly graphPath: string;
  /** Of a mount: the keys that its `in` reads. */
  readonly requires: readonly { readonly key: AnyKey; readonly optional: boolean }[];
  readonly provides: readonly AnyKey[];
  /** The retries of the effective chain, by place from the outside (CKPT-20). */
  readonly retries: readonly { readonly place: number; readonly limit: number }[];
  readonly mount?: {
    readonly graph: string;
    readonly in: readonly { readonly input: string; readonly key: AnyKey; readonly from: AnyKey }[];
    readonly fix: readonly { readonly input: string; readonly key: AnyKey; readonly value: unknown }[];
    readonly out: readonly { readonly output: string; readonly key: AnyKey; readonly to: AnyKey }[];
  };
}

/** The ports of a graph or of a mounted one, unused and pass-through ones too (CKPT-27). */
export interface PortDescription {
  readonly graph: string;
  /** The mount's path; empty at the root. */
  readonly path: string;
  readonly inputs: readonly { readonly key: AnyKey; readonly optional: boolean }[];
  readonly outputs: readonly AnyKey[];
}

/**
 * Every node of a valid graph, children's after their mount's. A copy: changing it changes no graph.
 * `aspects` are those of the execution (CORE-13): they stand outside all others in the chain.
 * @throws PULSE_INVALID for a graph with a stream: those are not served with checkpoints yet
 */
export function checkpointNodes(
  graph: AnyGraph,
  options: { readonly aspects?: readonly Aspect[] | false } = {},
): readonly NodeDescription[] {
  const nodes: NodeDescription[] = [];
  refuseStreams(graph);
  collectNodes(compile(graph), "", options.aspects ?? [], nodes);
  return nodes;
}

/** The ports of a valid graph and of every graph mounted in it. A copy. */
export function checkpointPorts(graph: AnyGraph): readonly PortDescription[] {
  const ports: PortDescription[] = [];
  collectPorts(compile(graph), "", ports);
  return ports;
}

/** Until durable streams are served, a graph that has one is refused before anything of a run is made. */
function refuseStreams(graph: AnyGraph): void {
  if (compile(graph).streams === undefined) return;
  const message = "this graph has streams, and durable streams are not served yet; run it in memory";
  throw invalid(`graph "${graph.name}"`, [{ code: "PULSE_OPTION_INVALID", path: graph.name, message }]);
}

function collectNodes(
  compiled: CompiledGraph,
  graphPath: string,
  outer: readonly Aspect[] | false,
  into: NodeDescription[],
): void {
  for (const node of compiled.nodes) {
    const description = describe(compiled, node, graphPath, outer);
    into.push(description);
    if (node.mount !== undefined) collectNodes(node.mount.child, description.path, outer, into);
  }
}

function describe(
  compiled: CompiledGraph,
  node: CompiledNode,
  graphPath: string,
  outer: readonly Aspect[] | false,
): NodeDescription {
  const key = (slot: number): AnyKey => compiled.keys[slot] as AnyKey;
  const chain = effectiveChain(outer, node);
  const base = {
    id: node.id,
    path: graphPath === "" ? node.id : `${graphPath}/${node.id}`,
    graph: compiled.graph.name,
    graphPath,
    requires: node.requires.map((slot, at) => ({ key: key(slot), optional: node.optional[at] as boolean })),
    provides: node.provides.map(key),
    retries: chain.flatMap(({ limit }, place) => (limit === undefined ? [] : [{ place, limit }])),
  };
  const { mount } = node;
  if (mount === undefined) return { kind: "node", ...base };
  const childKey = (slot: number): AnyKey => mount.child.keys[slot] as AnyKey;
  return {
    kind: "mount",
    ...base,
    mount: {
      graph: mount.child.graph.name,
      in: mount.in.map(({ name, slot, childSlot }) => ({ input: name, key: childKey(childSlot), from: key(slot) })),
      fix: mount.fix.map(({ name, childSlot, value }) => ({ input: name, key: childKey(childSlot), value })),
      out: [...mount.out].flatMap(([childSlot, slots]) =>
        slots.map((slot) => ({ output: childKey(childSlot).name, key: childKey(childSlot), to: key(slot) })),
      ),
    },
  };
}

function collectPorts(compiled: CompiledGraph, path: string, into: PortDescription[]): void {
  into.push({
    graph: compiled.graph.name,
    path,
    inputs: compiled.inputs.map(({ slot, optional }) => ({ key: compiled.keys[slot] as AnyKey, optional })),
    outputs: compiled.outputs.map((slot) => compiled.keys[slot] as AnyKey),
  });
  for (const node of compiled.nodes)
    if (node.mount !== undefined) collectPorts(node.mount.child, path === "" ? node.id : `${path}/${node.id}`, into);
}
