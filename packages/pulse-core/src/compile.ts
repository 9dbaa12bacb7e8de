import type { Aspect } from "./aspects/aspect.ts";
import { validate } from "./check/validate.ts";
import type { AnyKey } from "./key.ts";
import { keyOfEntry } from "./key-of-entry.ts";
import type { AnyGraph, Mount } from "./mount.ts";
import type { Node } from "./node.ts";
import type { StreamKind } from "./run/stream-driver.ts";
import { valuesPrototype } from "./values-prototype.ts";
import { wiringOf } from "./wiring.ts";

/** All that can be known of a graph without running it, as numbers (CORE-24). A slot is a key's place in the graph. */
export interface CompiledGraph {
  readonly graph: AnyGraph;
  /** By slot. */
  readonly keys: readonly AnyKey[];
  readonly slotOf: ReadonlyMap<string, number>;
  readonly inputs: readonly { readonly name: string; readonly slot: number; readonly optional: boolean }[];
  /** Slots of the outputs, in their order. */
  readonly outputs: readonly number[];
  /** Slots of the outputs that are inputs as well: pass-throughs (CORE-21). */
  readonly passThrough: readonly number[];
  readonly nodes: readonly CompiledNode[];
  readonly nodeOf: ReadonlyMap<string, number>;
  /** By slot: the ordinary nodes that wait for it, and the mounts it flows into. */
  readonly waiting: readonly (readonly number[])[];
  readonly flows: readonly (readonly Flow[])[];
  /** By slot: the node that provides it, -1 for an input. */
  readonly providerOf: readonly number[];
  /** What stands behind the streams of this graph and those mounted in it; none if there are none. */
  readonly streams: StreamKind | undefined;
  /** By node: how many keys its chain waits for; a mount waits for none (CORE-20). Copied by each execution. */
  readonly undecided: Int32Array;
}

/** One slot flowing into a mount's child. */
export interface Flow {
  readonly node: number;
  readonly childSlot: number;
}

export interface CompiledNode {
  readonly index: number;
  readonly id: string;
  readonly node: Node | Mount;
  /** Slots, in the order of `requires`; of a mount: the slots its `in` reads. */
  readonly requires: readonly number[];
  /** By position in `requires`: reads as absent instead of passing the skip on. */
  readonly optional: readonly boolean[];
  /** At least one required key is not optional: all skipped means skipped (CORE-6). */
  readonly skippable: boolean;
  /** Slots, in the order of `provides`. */
  readonly provides: readonly number[];
  /** The graph's own aspects, then the node's (CORE-13). */
  readonly aspects: readonly Aspect[];
  /** Stands behind the object of values that a body takes, and refuses undeclared names (CORE-9). */
  readonly values: object;
  readonly mount: CompiledMount | undefined;
}

export interface CompiledMount {
  readonly child: CompiledGraph;
  readonly in: readonly { readonly name: string; readonly slot: number; readonly childSlot: number }[];
  readonly fix: readonly { readonly name: string; readonly childSlot: number; readonly value: unknown }[];
  /** By child slot: the parent slots that take it. */
  readonly out: ReadonlyMap<number, readonly number[]>;
}

const compiled = new WeakMap<AnyGraph, CompiledGraph>();

/** Compiles a valid graph, once per graph object. */
export function compile(graph: AnyGraph): CompiledGraph {
  let result = compiled.get(graph);
  if (result === undefined) {
    // At once for what `graph` made; anything else that stands in a graph's place is refused here.
    validate(graph);
    compiled.set(graph, (result = build(graph)));
  }
  return result;
}

/** Every key object that a graph names outside the automatic wiring of optional mount inputs. */
export function keysNamed(graph: AnyGraph): Map<string, AnyKey> {
  const keys = new Map<string, AnyKey>();
  const add = (key: AnyKey): void => void keys.set(key.name, key);
  for (const entry of graph.inputs) add(keyOfEntry(entry));
  for (const node of graph.nodes) {
    if (node.kind === "node") node.provides.forEach(add);
    else wiringOf(node, () => false).out.forEach(({ to }) => add(to));
  }
  return keys;
}

function build(graph: AnyGraph): CompiledGraph {
  const named = keysNamed(graph);
  const keys = [...named.values()];
  const slotOf = new Map(keys.map((key, slot) => [key.name, slot]));
  // A valid graph provides every key it names (CORE-26), so the slot is there.
  const slot = (key: AnyKey): number => slotOf.get(key.name) as number;
  const parentHas = (key: AnyKey): boolean => named.get(key.name) === key;
  const nodes = graph.nodes.map((node, index) =>
    node.kind === "node" ? ordinary(node, index, graph, slot) : mounted(node, index, graph, slot, parentHas),
  );
  const waiting: number[][] = keys.map(() => []);
  const flows: Flow[][] = keys.map(() => []);
  const providerOf = keys.map(() => -1);
  for (const node of nodes) {
    for (const provided of node.provides) providerOf[provided] = node.index;
    if (node.mount === undefined) for (const required of node.requires) waiting[required]?.push(node.index);
    else for (const wire of node.mount.in) flows[wire.slot]?.push({ node: node.index, childSlot: wire.childSlot });
  }
  const inputs = graph.inputs.map((entry) => ({
    name: keyOfEntry(entry).name,
    slot: slot(keyOfEntry(entry)),
    optional: entry.kind === "optional",
  }));
  const outputs = graph.outputs.map(slot);
  return {
    graph,
    keys,
    slotOf,
    inputs,
    outputs,
    passThrough: outputs.filter((output) => providerOf[output] === -1),
    nodes,
    nodeOf: new Map(nodes.map((node) => [node.id, node.index])),
    waiting,
    flows,
    providerOf,
    streams:
      keys.find(({ stream }) => stream)?.stream?.kind ??
      nodes.find(({ mount }) => mount?.child.streams)?.mount?.child.streams,
    undecided: Int32Array.from(nodes, (node) => (node.mount === undefined ? node.requires.length : 0)),
  };
}

function ordinary(node: Node, index: number, graph: AnyGraph, slot: (key: AnyKey) => number): CompiledNode {
  const optional = node.requires.map((entry) => entry.kind === "optional");
  return {
    index,
    id: node.id,
    node,
    requires: node.requires.map((entry) => slot(keyOfEntry(entry))),
    optional,
    skippable: optional.includes(false),
    provides: node.provides.map(slot),
    aspects: [...graph.aspects, ...node.aspects],
    values: valuesPrototype(node),
    mount: undefined,
  };
}

function mounted(
  mount: Mount,
  index: number,
  graph: AnyGraph,
  slot: (key: AnyKey) => number,
  parentHas: (key: AnyKey) => boolean,
): CompiledNode {
  const child = compile(mount.graph);
  const wiring = wiringOf(mount, parentHas);
  const childSlot = (name: string): number => child.slotOf.get(name) as number;
  const out = new Map<number, number[]>();
  for (const { output, to } of wiring.out) {
    const from = childSlot(output);
    out.set(from, [...(out.get(from) ?? []), slot(to)]);
  }
  return {
    index,
    id: mount.id,
    node: mount,
    requires: wiring.in.map(({ from }) => slot(from)),
    optional: wiring.in.map(() => true),
    skippable: false,
    provides: wiring.out.map(({ to }) => slot(to)),
    aspects: [...graph.aspects, ...mount.aspects],
    values: Object.prototype,
    mount: {
      child,
      in: wiring.in.map(({ input, from }) => ({ name: input, slot: slot(from), childSlot: childSlot(input) })),
      fix: wiring.fix.map(({ input, value }) => ({ name: input, childSlot: childSlot(input), value })),
      out,
    },
  };
}
