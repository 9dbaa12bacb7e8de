import { parseIds } from "../record/entry-key.ts";
import type { RunRecord } from "../record/format.ts";
import { OutputPlace } from "./output-place.ts";
import { untyped } from "./coded-keys.ts";
import { pathIn, providedKey, streamId } from "./prepared.ts";
import type { Prepared, PreparedStream } from "./prepared.ts";
import type { RecordedValue, Values } from "./values.ts";

/**
 * Fetches and decodes every confirmed value, those of void scopes too, before anything runs (REC-9). Each content is
 * fetched once, whoever names it, and one is in memory at a time: what a run has stored may be more than memory holds.
 * @throws PULSE_CORRUPT naming the value, or the content that cannot be read
 */
export async function verifyAll(record: RunRecord, prepared: Prepared, values: Values): Promise<void> {
  const resting = new Map<string, RecordedValue[]>();
  for (const value of confirmedValues(record, prepared)) {
    if ("bytes" in value.record) {
      await values.verify([value]);
      continue;
    }
    const { digest } = value.record.content;
    const sharing = resting.get(digest);
    if (sharing === undefined) resting.set(digest, [value]);
    else sharing.push(value);
  }
  for (const sharing of resting.values()) await values.verify(sharing);
}

/** The record was checked against the definition before this (REC-18). */
function* confirmedValues(record: RunRecord, prepared: Prepared): Generator<RecordedValue> {
  for (const [ids, node] of record.nodes) {
    const [scope, nodeId] = parseIds("node", ids) as [string, string];
    const place = prepared.graphs.get(record.scopes.get(scope)?.path ?? "");
    for (const [at, output] of node.outputs.entries()) {
      const key = providedKey(place?.nodes.get(nodeId), output.name, at);
      if (output.state !== "ready" || key === undefined) continue;
      yield { record: output, key, place: new OutputPlace(scope, nodeId, output.name) };
    }
  }
  yield* streamValues(record, prepared);
  yield* managedValues(record, prepared);
}

/** Messages and positions. */
function* streamValues(record: RunRecord, prepared: Prepared): Generator<RecordedValue> {
  const streams = new Map<string, PreparedStream>();
  for (const [ids, { scope, nodeId, key, sourceId, cursor }] of record.streams) {
    const known = streams.has(sourceId);
    const stream = prepared.streams.get(streamId(pathIn(record.scopes.get(scope)?.path ?? "", nodeId), key));
    if (known || stream === undefined) continue;
    streams.set(sourceId, stream);
    // Every group of a source has the same (REC-29).
    if (cursor !== undefined) yield { record: cursor, key: stream.position, place: { where: `stream/${ids}: cursor` } };
  }
  for (const [ids, { value }] of record.messages) {
    const [sourceId = ""] = parseIds("message", ids) ?? [];
    const stream = streams.get(sourceId);
    if (stream !== undefined) yield { record: value, key: stream.key, place: { where: `message/${ids}` } };
  }
}

/** What messages contributed, and states. A state of a type that its handler alone declares is decoded when it asks for it. */
function* managedValues(record: RunRecord, prepared: Prepared): Generator<RecordedValue> {
  for (const [ids, { state, values }] of record.managed) {
    const [scope, , nodeId] = parseIds("managed", ids) as [string, string, string];
    const place = prepared.graphs.get(record.scopes.get(scope)?.path ?? "");
    if (state !== undefined && state.codec === untyped.id && state.codecVersion === untyped.version) {
      yield { record: state, key: { name: "state", codec: untyped }, place: { where: `managed/${ids}: state` } };
    }
    for (const value of values) {
      const key = providedKey(place?.nodes.get(nodeId), value.name, -1);
      if (value.state !== "ready" || key === undefined) continue;
      yield { record: value, key, place: { where: `managed/${ids}: value ${JSON.stringify(value.name)}` } };
    }
  }
}
