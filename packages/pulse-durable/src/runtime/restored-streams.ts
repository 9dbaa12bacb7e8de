import type { RestoredStream } from "@pulse-ts/core/checkpoint";
import type { NodeEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { isVoid } from "../transition/stream-ref.ts";
import { pathIn, streamId } from "./prepared.ts";
import type { Prepared, PreparedStream } from "./prepared.ts";
import type { RestoreParts } from "./restore-plan.ts";
import { recordedSource, restoredStream } from "./restored-stream.ts";
import type { RecordedSource, SourceFacts } from "./restored-stream.ts";

/**
 * The streams of a scope's plan (CKPT-26): each that a node of the scope has opened, open or ended, and each that a confirmed
 * node of it has under a further name. One whose writer has failed is there for its aliases alone, as a failed end (STR-27).
 */
export async function restoredStreams(
  scope: string,
  nodes: readonly NodeEntry[],
  { ledger, prepared, values }: RestoreParts,
): Promise<readonly RestoredStream[]> {
  const { view } = ledger;
  const facts = new Map<string, SourceFacts>();
  const add = (sourceId: string, asAlias: boolean): void => {
    const source = facts.has(sourceId) ? undefined : recordedSource(view, sourceId);
    const [entry] = source?.groups ?? [];
    if (source === undefined || entry === undefined) return;
    const failed = entry.end === "failed" || isVoid(view, entry);
    if (failed && !asAlias) return;
    const stream = streamOf(prepared, view, source);
    facts.set(sourceId, { source, stream, generation: ledger.generationOf(entry), failed });
  };
  for (const sourceId of view.index.sourcesIn(scope)) add(sourceId, false);
  for (const { outputs } of nodes) {
    for (const output of outputs) if (output.state === "stream") add(output.stream.sourceId, true);
  }
  return await Promise.all([...facts.values()].map((each) => restoredStream(each, values)));
}

/** The stream of the definition that a source is. The record was checked against the definition before this. */
export function streamOf(
  prepared: Prepared,
  { record }: RunView,
  { sourceId, groups }: RecordedSource,
): PreparedStream {
  const [entry] = groups;
  const path = entry === undefined ? undefined : record.scopes.get(entry.scope)?.path;
  const stream =
    entry === undefined || path === undefined
      ? undefined
      : prepared.streams.get(streamId(pathIn(path, entry.nodeId), entry.key));
  if (stream === undefined) throw new Error(`the definition has no stream of source ${sourceId}`);
  return stream;
}
