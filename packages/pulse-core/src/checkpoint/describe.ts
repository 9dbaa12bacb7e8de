import type { Aspect } from "../aspects/aspect.ts";
import { effectiveChain } from "../aspects/effective-chain.ts";
import { compile } from "../compile.ts";
import type { CompiledGraph, CompiledNode } from "../compile.ts";
import type { AnyKey } from "../key.ts";
import type { AnyGraph } from "../mount.ts";
import { ownGroup } from "../streams/group-name.ts";

/** A key that a node needs, or that a mount's `in` reads. */
export interface RequiredKey {
  readonly key: AnyKey;
  readonly optional: boolean;
  /** Of a stream that an ordinary node reads: its group, the one that it names or its own (STR-5). */
  readonly group?: string;
}

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
  readonly requires: readonly RequiredKey[];
  readonly provides: readonly AnyKey[];
  /** The node says that its streams can go on from their positions (STR-48); false for a mount. */
  readonly resumable: boolean;
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
 */
export function checkpointNodes(
  graph: AnyGraph,
  options: { readonly aspects?: readonly Aspect[] | false } = {},
): readonly NodeDescription[] {
  const nodes: NodeDescription[] = [];
  collectNodes(compile(graph), "", options.aspects ?? [], nodes);
  return nodes;
}

/** The ports of a valid graph and of every graph mounted in it. A copy. */
export function checkpointPorts(graph: AnyGraph): readonly PortDescription[] {
  const ports: PortDescription[] = [];
  collectPorts(compile(graph), "", ports);
  return ports;
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
  const path = graphPath === "" ? node.id : `${graphPath}/${node.id}`;
  const ordinary = node.node.kind === "node" ? node.node : undefined;
  const groupAt = (slot: number, at: number): { readonly group?: string } => {
    const entry = ordinary?.requires[at];
    if (entry?.kind === "reading") return { group: entry.group };
    return entry === undefined || key(slot).stream === undefined ? {} : { group: ownGroup(path) };
  };
  const base = {
    id: node.id,
    path,
    graph: compiled.graph.name,
    graphPath,
    requires: node.requires.map((slot, at) => ({
      key: key(slot),
      optional: node.optional[at] as boolean,
      ...groupAt(slot, at),
    })),
    provides: node.provides.map(key),
    resumable: ordinary?.resumable ?? false,
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
