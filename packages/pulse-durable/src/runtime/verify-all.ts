import { parseIds } from "../record/entry-key.ts";
import type { RunRecord } from "../record/format.ts";
import { OutputPlace } from "./output-place.ts";
import { providedKey } from "./prepared.ts";
import type { Prepared } from "./prepared.ts";
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
}
