import type { RestoredNode, RestoredStream } from "@pulse-ts/core/checkpoint";
import type { NodeEntry, ValueRecord } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import type { Ledger } from "./ledger.ts";
import { OutputPlace } from "./output-place.ts";
import { providedKey } from "./prepared.ts";
import type { Prepared, PreparedGraph, PreparedNode } from "./prepared.ts";
import { restoredStreams } from "./restored-streams.ts";
import type { Values } from "./values.ts";

/** What a restore is made with. */
export interface RestoreParts {
  readonly ledger: Pick<Ledger, "view" | "generationOf">;
  readonly prepared: Prepared;
  readonly values: Values;
}

export interface RestoredScope {
  readonly scope: string;
  readonly place: PreparedGraph;
  /** What the scope has confirmed. */
  readonly nodes: readonly NodeEntry[];
}

/**
 * What a scope has confirmed, as core installs it (CKPT-24). Nothing is decoded (DUR-15); contents that what is unfinished
 * can ask for are fetched, since core reads without waiting. `streams` is absent where there are none.
 */
export async function restoreScope(
  { scope, place, nodes }: RestoredScope,
  parts: RestoreParts,
): Promise<{ readonly nodes: readonly RestoredNode[]; readonly streams?: readonly RestoredStream[] }> {
  const { values, prepared } = parts;
  // Taken from the record before anything is waited for: what is restored is one state of it.
  const streams = prepared.streams.size === 0 ? undefined : restoredStreams(scope, nodes, parts);
  const confirmed = new Set(nodes.map(({ nodeId }) => nodeId));
  const needed = neededKeys(place, confirmed);
  await values.fetch(nodes.flatMap(({ outputs }) => outputs.filter(({ name }) => needed.has(name))));
  const restored = nodes.map((node) => restoredNode(node, scope, place, values));
  return streams === undefined ? { nodes: restored } : { nodes: restored, streams: await streams };
}

/** The nodes that a scope has confirmed. */
export function confirmedNodes({ record, index }: RunView, scope: string): readonly NodeEntry[] {
  return [...index.nodesIn(scope)].flatMap((key) => record.nodes.get(key) ?? []);
}

function restoredNode(node: NodeEntry, scope: string, place: PreparedGraph, values: Values): RestoredNode {
  const { nodeId, reason } = node;
  const prepared = place.nodes.get(nodeId);
  const outputs = node.outputs.map((output, at) => restoredOutput(output, { scope, nodeId, prepared, at, values }));
  return { nodeId, reason, outputs };
}

interface OutputParts {
  readonly scope: string;
  readonly nodeId: string;
  readonly prepared: PreparedNode | undefined;
  /** Its place among the outputs. */
  readonly at: number;
  readonly values: Values;
}

function restoredOutput(output: ValueRecord, at: OutputParts): RestoredNode["outputs"][number] {
  const { name } = output;
  const key = providedKey(at.prepared, name, at.at);
  // The record was checked against the definition before this (REC-18).
  if (key === undefined) throw new Error(`node "${at.nodeId}" has no output "${name}"`);
  const { type } = key;
  if (output.state === "stream") return { name, state: "stream", sourceId: output.stream.sourceId, type };
  if (output.state === "skipped") return { name, state: "skipped", type };
  const read = at.values.reader(output, key, new OutputPlace(at.scope, at.nodeId, name));
  return { name, state: "ready", read, type };
}

/** The keys of a graph that somebody may still read: what is not confirmed requires them, or they go outward. */
function neededKeys(place: PreparedGraph, confirmed: ReadonlySet<string>): ReadonlySet<string> {
  const needed = new Set(place.outputs);
  for (const node of place.nodes.values()) {
    if (!confirmed.has(node.id)) for (const name of node.requires) needed.add(name);
  }
  return needed;
}
