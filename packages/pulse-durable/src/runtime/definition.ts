import type { KeyType } from "@pulse-ts/core";
import type { NodeDescription, PortDescription } from "@pulse-ts/core/checkpoint";
import { fingerprintOfLists, outlineDigits } from "./fingerprint.ts";
import type { PreparedGraph, PreparedStream } from "./prepared.ts";

/** A definition as fingerprints (DUR-5): the whole, and each part in short. */
export interface Definition {
  readonly definition: string;
  readonly outline: Readonly<Record<string, string>>;
}

/** What stands in place of parts of a graph for one run (DUR-23). */
export interface ReplacedParts {
  /** Paths of nodes whose bodies are replaced. */
  readonly nodes: readonly string[];
  /** Paths of keys that are replaced (`mount/key`), with their values' fingerprints. */
  readonly keys: readonly ReplacedKey[];
}

export interface ReplacedKey {
  readonly path: string;
  readonly codec: string;
  readonly fingerprint: string;
}

export interface DefinedParts {
  readonly nodes: readonly NodeDescription[];
  readonly ports: readonly PortDescription[];
  readonly graphs: ReadonlyMap<string, PreparedGraph>;
  readonly streams: Iterable<PreparedStream>;
  readonly replaced: ReplacedParts;
}

/**
 * Covers graph ids, paths, nodes, keys, types, codec ids, ports, wiring, fixed values, and place and limit of every
 * retry, and of each stream capacity, resumability, codecs and readers; not what functions do (DUR-5), and nothing that may change between a run and its resume (DUR-29).
 */
export function definitionOf(parts: DefinedParts): Definition {
  const outline: Record<string, string> = {};
  const lines: (readonly [string, string])[] = [];
  for (const [name, data] of partsOf(parts)) {
    const hash = fingerprintOfLists(data);
    // Names begin with a word and a space: none of them is a property that every object has.
    outline[name] = hash.slice(0, outlineDigits);
    lines.push([name, hash]);
  }
  lines.sort(([one], [other]) => (one < other ? -1 : 1));
  return { definition: fingerprintOfLists(["definition", 1, lines]), outline };
}

function* partsOf({ nodes, ports, graphs, streams, replaced }: DefinedParts): Generator<readonly [string, unknown]> {
  for (const { graph, path, inputs, outputs } of ports) {
    const codecs = graphs.get(path)?.inputs;
    const given = inputs.map(({ key: { name, type }, optional }) => [
      name,
      typeName(type),
      codecs?.get(name)?.codec.id ?? null,
      optional,
    ]);
    const taken = outputs.map(({ name, type }) => [name, typeName(type)]);
    yield [`graph ${path === "" ? graph : path}`, [graph, given, taken]];
  }
  for (const node of nodes) yield [`${node.kind} ${node.path}`, nodeData(node, graphs)];
  // Parts of their own: the fingerprint of a graph without streams is what it was before there were any.
  for (const stream of streams) yield [`stream ${stream.path}/${stream.key.name}`, streamData(stream)];
  for (const path of replaced.nodes) yield [`replaced node ${path}`, true];
  for (const { path, codec, fingerprint } of replaced.keys) yield [`replaced key ${path}`, [codec, fingerprint]];
}

function nodeData(node: NodeDescription, graphs: ReadonlyMap<string, PreparedGraph>): unknown {
  const prepared = graphs.get(node.graphPath)?.nodes.get(node.id);
  const requires = node.requires.map(({ key, optional }) => [key.name, typeName(key.type), optional]);
  const provides = node.provides.map(({ name, type }, at) => [
    name,
    typeName(type),
    prepared?.provides[at]?.codec.id ?? null,
  ]);
  const retries = node.retries.map(({ place, limit }) => [place, limit]);
  if (node.mount === undefined) return [node.graph, requires, provides, retries];
  const { mount } = node;
  const bound = mount.in.map(({ input, from }) => [input, from.name]);
  const out = mount.out.map(({ output, to }) => [output, to.name]);
  // Fixed values are in the child scope's fingerprint, with the codecs they were encoded with (DUR-22).
  return [node.graph, requires, provides, retries, mount.graph, bound, out, prepared?.mount?.fingerprint ?? null];
}

function streamData({ path, key, position, capacity, resumable, readers, names }: PreparedStream): unknown {
  const read = readers.map((reader) => [reader.path, reader.key, reader.group]);
  const named = names.map((name) => [name.path, name.key]);
  return [path, key.name, key.codec.id, position.codec.id, capacity, resumable, read, named];
}

/** What is known of a type at run time: the name of a token, or who made the schema; the codec's id tells the rest. */
function typeName(type: KeyType): string {
  return "~standard" in type ? `schema ${type["~standard"].vendor}` : `type ${type.name}`;
}
