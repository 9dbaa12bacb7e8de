import type { Codecs } from "@pulse-ts/codec";
import { isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyGraph, ExecutionOptions, KeyType, Problem } from "@pulse-ts/core";
import { checkpointNodes, checkpointPorts, checkpointStreams } from "@pulse-ts/core/checkpoint";
import type { NodeDescription, PortDescription } from "@pulse-ts/core/checkpoint";
import type { BoundaryView, ChildInput, DefinitionView } from "../integrity/definition-view.ts";
import { isWellFormed } from "../record/plain.ts";
import { positionKey } from "./coded-keys.ts";
import { definitionOf } from "./definition.ts";
import type { ReplacedKey, ReplacedParts } from "./definition.ts";
import { scopeFingerprint } from "./fingerprint.ts";
import { fingerprintKeysOf } from "./fingerprint-keys.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";
import { definitionView } from "./prepared-view.ts";
import { pathIn, streamId } from "./prepared.ts";
import type { Prepared, PreparedGraph, PreparedMount, PreparedNode, PreparedStream, ProvidedKey } from "./prepared.ts";
import { fingerprintContext, fingerprintOfValue, runValues } from "./values.ts";
import type { CodedKey } from "./values.ts";

/** The options of an execution that are part of the definition (DUR-23, DUR-29). */
export type PrepareOptions = Pick<ExecutionOptions, "aspects" | "overrides">;

/**
 * Gives a validated graph its codecs, encodes its fixed values and takes its definition's fingerprint (DUR-5, DUR-22).
 * Linear in the nodes of the graph with its children.
 * @throws PULSE_INVALID with every key that has no codec (CODEC-15), every fixed value that cannot be encoded (DUR-22),
 *   and every name that no record can hold (REC-15); PULSE_CODEC when `keyIdOf` names a key that a ring has lost (CODEC-19)
 */
export function prepare(graph: AnyGraph, codecs: Codecs, options: PrepareOptions, keyIdOf?: KeyIdOf): Prepared {
  const nodes = checkpointNodes(graph, options.aspects === undefined ? {} : { aspects: options.aspects });
  const ports = checkpointPorts(graph);
  const problems: Problem[] = [];
  const refuse = (path: string, message: string, error?: unknown): void => {
    const ends =
      isPulseError(error, "PULSE_CODEC") && error.details.key !== undefined ? { ends: [error.details.key] } : {};
    problems.push({
      code: "PULSE_DEFINITION_INVALID",
      path: path === "" ? graph.name : `${graph.name}/${path}`,
      message,
      ...ends,
    });
  };
  const codecOf = (path: string, name: string, type: KeyType): CodedKey | undefined => {
    if (!isWellFormed(name))
      refuse(path, `key ${JSON.stringify(name)}: a name with an unpaired surrogate cannot be recorded`);
    return found(path, () => ({ name, codec: codecs.forType(type, name) }));
  };
  const found = (path: string, look: () => CodedKey): CodedKey | undefined => {
    try {
      return look();
    } catch (error) {
      if (!isPulseError(error, "PULSE_CODEC")) throw error;
      refuse(path, error.message, error);
      return undefined;
    }
  };
  const inputsAt = new Map(ports.map((port) => [port.path, codedInputs(port, codecOf)]));
  const graphs = new Map<string, MutableGraph>(
    ports.map(({ graph: name, path, inputs: _, outputs }) => [
      path,
      {
        graph: name,
        path,
        inputs: inputsAt.get(path) ?? new Map(),
        outputs: outputs.map((output) => output.name),
        nodes: new Map(),
      },
    ]),
  );
  for (const node of nodes) {
    if (!isWellFormed(node.id))
      refuse(node.path, `node ${JSON.stringify(node.id)}: an id with an unpaired surrogate cannot be recorded`);
    const provides: ProvidedKey[] = [];
    for (const { name, type } of node.provides) {
      const coded = codecOf(node.path, name, type);
      if (coded !== undefined) provides.push({ name, codec: coded.codec, type });
    }
    const mount = node.mount === undefined ? undefined : preparedMount(node, inputsAt, refuse, keyIdOf);
    const { id, path, requires } = node;
    const prepared: PreparedNode = {
      id,
      path,
      requires: requires.flatMap(({ key }) => (key.stream === undefined ? key.name : [])),
      provides,
      ...(node.retries.length === 0 ? undefined : { boundaries: node.retries.map(boundaryView) }),
      ...(mount && { mount }),
    };
    graphs.get(node.graphPath)?.nodes.set(id, prepared);
  }
  const streams = new Map<string, PreparedStream>();
  for (const { path, key, ...stream } of checkpointStreams(graph)) {
    const coded = codecOf(path, key.name, key.type);
    const position = found(path, () => positionKey(codecs, key));
    if (coded === undefined || position === undefined) continue;
    const { capacity } = key.stream;
    streams.set(streamId(path, key.name), { path, key: coded, position, capacity, ...stream });
  }
  if (problems.length > 0) throw invalid(graph, problems);
  const root = graphs.get("") as PreparedGraph;
  const replaced = replacedParts(options.overrides, graphs, keyIdOf);
  const { definition, outline } = definitionOf({ nodes, ports, graphs, streams: streams.values(), replaced });
  let view: DefinitionView | undefined;
  return {
    definition,
    outline,
    graphs,
    root,
    streams,
    // A run that is new has nothing to check.
    get view() {
      return (view ??= definitionView({ graphs, streams: streams.values(), outline, replaced }));
    },
    ...keysOf(graphs, options.overrides),
  };
}

interface MutableGraph extends PreparedGraph {
  readonly nodes: Map<string, PreparedNode>;
}

type CodecOf = (path: string, name: string, type: KeyType) => CodedKey | undefined;
type Refuse = (path: string, message: string, error?: unknown) => void;

function codedInputs({ path, inputs }: PortDescription, codecOf: CodecOf): Map<string, CodedKey> {
  const coded = new Map<string, CodedKey>();
  for (const {
    key: { name, type },
  } of inputs) {
    const key = codecOf(path, name, type);
    if (key !== undefined) coded.set(name, key);
  }
  return coded;
}

/** Encodes what a mount fixes, with the codec of the child's key (DUR-22). */
function preparedMount(
  node: NodeDescription,
  inputsAt: ReadonlyMap<string, ReadonlyMap<string, CodedKey>>,
  refuse: Refuse,
  keyIdOf: KeyIdOf | undefined,
): PreparedMount | undefined {
  const { mount, path } = node;
  if (mount === undefined) return undefined;
  const inputs = inputsAt.get(path);
  const fixed = new Map<string, { readonly key: CodedKey; readonly record: ReturnType<typeof encode> }>();
  const fix: { input: string; codec: string; fingerprint: string }[] = [];
  for (const { input, value } of mount.fix) {
    const key = inputs?.get(input);
    if (key === undefined) continue;
    try {
      const record = encode(key, value);
      fixed.set(input, { key, record });
      const fingerprint = fingerprintOfValue(key, value, record, { keyIdOf, salt: ["fix", path, input] });
      fix.push({ input, codec: key.codec.id, fingerprint });
    } catch (error) {
      if (!isPulseError(error, "PULSE_CODEC") || error.details.keyMissing === true) throw error;
      const advice = "close over it in the child's nodes instead";
      refuse(
        path,
        `mount "${path}" fixes input "${input}" of graph "${mount.graph}" with a value that cannot be recorded: ${error.message}; ${advice}`,
        error,
      );
    }
  }
  const bindings = mount.in.map(({ input, from }) => ({ input, from: from.name }));
  const fingerprint = scopeFingerprint({ graph: mount.graph, path, in: bindings, fix });
  const sources = [...(inputs?.keys() ?? [])].map((name): ChildInput => {
    const bound = bindings.find(({ input }) => input === name);
    if (bound !== undefined) return { kind: "in", name, from: bound.from };
    const value = fix.find(({ input }) => input === name);
    return value === undefined ? { kind: "none", name } : { kind: "fix", name, fingerprint: value.fingerprint };
  });
  return { fingerprint, fixed, inputs: [...mount.in, ...mount.fix].map(({ input }) => input), sources };
}

// Fixed values belong to no run: what encodes them reads nothing back.
const { encode } = runValues({ runId: "", isolate: true, corrupt: () => {} });

function boundaryView({ place, limit }: NodeDescription["retries"][number]): BoundaryView {
  return { boundary: String(place), limit };
}

/** The overrides by id and by fingerprint (DUR-23). @throws PULSE_CODEC for a value that cannot be encoded */
function replacedParts(
  overrides: ExecutionOptions["overrides"],
  graphs: ReadonlyMap<string, PreparedGraph>,
  keyIdOf: KeyIdOf | undefined,
): ReplacedParts {
  const values = overrides?.keys ?? {};
  const keys = replacedKeys(overrides, graphs).map(({ path, key: { name, codec } }): ReplacedKey => {
    const at = fingerprintContext(name, { keyIdOf, salt: ["override", path] });
    return { path, codec: codec.id, fingerprint: codec.fingerprint(values[path], at) };
  });
  return { nodes: Object.keys(overrides?.nodes ?? {}), keys };
}

/** The keys that overrides give a value, by path. */
function replacedKeys(
  overrides: ExecutionOptions["overrides"],
  graphs: ReadonlyMap<string, PreparedGraph>,
): readonly { readonly path: string; readonly key: CodedKey }[] {
  const values = overrides?.keys;
  if (values === undefined) return [];
  const found: { path: string; key: CodedKey }[] = [];
  for (const place of graphs.values()) {
    for (const node of place.nodes.values()) {
      for (const key of node.provides) {
        const path = pathIn(place.path, key.name);
        if (Object.hasOwn(values, path)) found.push({ path, key });
      }
    }
  }
  return found;
}

/** The keys of what has a fingerprint: root inputs, and in the definition fixed values and replaced keys (CODEC-19). */
function keysOf(
  graphs: ReadonlyMap<string, PreparedGraph>,
  overrides: ExecutionOptions["overrides"],
): Pick<Prepared, "fingerprintKeys" | "definitionKeys"> {
  const inputs = [...(graphs.get("")?.inputs.values() ?? [])];
  const inDefinition: CodedKey[] = replacedKeys(overrides, graphs).map(({ key }) => key);
  for (const { nodes } of graphs.values()) {
    for (const { mount } of nodes.values()) {
      for (const { key } of mount?.fixed.values() ?? []) inDefinition.push(key);
    }
  }
  return {
    fingerprintKeys: fingerprintKeysOf([...inputs, ...inDefinition]),
    definitionKeys: fingerprintKeysOf(inDefinition),
  };
}

function invalid(graph: AnyGraph, problems: readonly Problem[]): PulseError {
  const lines = problems.map(({ path, message }) => `- ${path}: ${message}`).join("\n");
  return new PulseError("PULSE_INVALID", `graph "${graph.name}" cannot be made durable:\n${lines}`, {
    details: { problems },
  });
}
