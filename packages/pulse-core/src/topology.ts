import type { Aspect } from "./aspects/aspect.ts";
import type { Requirement } from "./context.ts";
import type { AnyKey } from "./key.ts";
import { keyOfEntry } from "./key-of-entry.ts";
import type { AnyGraph, Mount } from "./mount.ts";
import type { Node } from "./node.ts";
import { isStandardSchema } from "./type.ts";
import { wiringOf } from "./wiring.ts";

/** A graph as plain JSON (CORE-27). */
export interface Topology {
  readonly name: string;
  readonly inputs: readonly PortShape[];
  readonly outputs: readonly PortShape[];
  readonly nodes: readonly (NodeShape | MountShape)[];
  readonly edges: readonly Edge[];
  /** The names of the aspects around each node of this graph, outermost first. */
  readonly aspects: readonly string[];
}

/** An input or output key of a graph. */
export interface PortShape {
  readonly name: string;
  /** The name of the type token, or the vendor of the schema. */
  readonly type: string;
  readonly optional: boolean;
  /** Of a stream: its capacity. `type` is then that of one message. */
  readonly capacity?: number;
}

export interface NodeShape {
  readonly kind: "node";
  readonly id: string;
  /** `mount/inner/node`, without the root graph's name (CORE-23). */
  readonly path: string;
  readonly requires: readonly PortShape[];
  readonly provides: readonly PortShape[];
  readonly aspects: readonly string[];
  /** By key name: the groups that it names itself (STR-5). */
  readonly groups?: Readonly<Record<string, string>>;
}

export interface MountShape {
  readonly kind: "mount";
  readonly id: string;
  readonly path: string;
  readonly in: readonly { readonly input: string; readonly from: string }[];
  /** The inputs that have a constant; its value is not told. */
  readonly fix: readonly string[];
  readonly out: readonly { readonly output: string; readonly to: string }[];
  readonly aspects: readonly string[];
  /** What is mounted. */
  readonly graph: Topology;
}

/** The way of one key. `null` is the graph itself: `from` its inputs, `to` its outputs. */
export interface Edge {
  readonly key: string;
  /** The id of the node or mount that provides the key. */
  readonly from: string | null;
  /** The id of the node or mount that requires it. */
  readonly to: string | null;
  readonly optional: boolean;
  /** The key is a stream. */
  readonly stream?: true;
}

/** A valid graph's nodes, ports, mounts and edges as plain JSON, children nested (CORE-27). Needs no host (CKPT-39). */
export function topology(graph: AnyGraph): Topology {
  return shapeOf(graph, "");
}

function shapeOf(graph: AnyGraph, above: string): Topology {
  const provided = new Map<AnyKey, string | null>(graph.inputs.map((entry) => [keyOfEntry(entry), null]));
  for (const node of graph.nodes) for (const key of writesOf(node)) provided.set(key, node.id);
  const nodes = graph.nodes.map((node) =>
    node.kind === "node" ? nodeShape(node, above) : mountShape(node, above, (key) => provided.has(key)),
  );
  const providerOf = new Map([...provided].map(([{ name }, from]) => [name, from]));
  const streams = new Set([...provided.keys()].filter(({ stream }) => stream).map(({ name }) => name));
  const edge = (key: string, to: string | null, optional: boolean): Edge => ({
    key,
    from: providerOf.get(key) ?? null,
    to,
    optional,
    ...(streams.has(key) && { stream: true }),
  });
  return {
    name: graph.name,
    inputs: graph.inputs.map(portShape),
    outputs: graph.outputs.map(portShape),
    nodes,
    edges: [
      ...nodes.flatMap((node) =>
        node.kind === "node"
          ? node.requires.map(({ name, optional }) => edge(name, node.id, optional))
          : [...new Set(node.in.map(({ from }) => from))].map((from) => edge(from, node.id, false)),
      ),
      ...graph.outputs.map(({ name }) => edge(name, null, false)),
    ],
    aspects: namesOf(graph.aspects),
  };
}

const writesOf = (node: Node | Mount): readonly AnyKey[] =>
  node.kind === "node" ? node.provides : wiringOf(node, () => false).out.map(({ to }) => to);

function nodeShape(node: Node, above: string): NodeShape {
  const groups = node.requires.flatMap((entry) => (entry.kind === "reading" ? [[entry.name, entry.group]] : []));
  return {
    kind: "node",
    id: node.id,
    path: above + node.id,
    requires: node.requires.map(portShape),
    provides: node.provides.map(portShape),
    aspects: namesOf(node.aspects),
    ...(groups.length > 0 && { groups: Object.fromEntries(groups) as Record<string, string> }),
  };
}

function mountShape(mount: Mount, above: string, parentHas: (key: AnyKey) => boolean): MountShape {
  const wiring = wiringOf(mount, parentHas);
  return {
    kind: "mount",
    id: mount.id,
    path: above + mount.id,
    in: wiring.in.map(({ input, from }) => ({ input, from: from.name })),
    fix: wiring.fix.map(({ input }) => input),
    out: wiring.out.map(({ output, to }) => ({ output, to: to.name })),
    aspects: namesOf(mount.aspects),
    graph: shapeOf(mount.graph, `${above}${mount.id}/`),
  };
}

function portShape(entry: Requirement): PortShape {
  const { name, type, stream } = keyOfEntry(entry);
  return {
    name,
    type: isStandardSchema(type) ? type["~standard"].vendor : type.name,
    optional: entry.kind === "optional",
    ...(stream && { capacity: stream.capacity }),
  };
}

const namesOf = (aspects: readonly Aspect[]): readonly string[] => aspects.map(({ name }) => name);
