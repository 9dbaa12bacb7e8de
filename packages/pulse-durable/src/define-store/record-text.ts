import { hash } from "node:crypto";
import { decodeEntry, encodeEntry } from "../record/entry-json.ts";
import type { EntryPlace } from "../record/entry-json.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { Header, RunRecord } from "../record/format.ts";
import type { CatalogRun } from "../store.ts";
import { corrupt } from "./store-errors.ts";

/**
 * A whole record as one text, for a store that writes it whole: its SHA-256 in the first line, then JSON with bytes in
 * base64. What it costs grows with the run; `Save.changes` do not.
 * @throws PULSE_USAGE for an entry that {@link encodeEntry} refuses
 */
export function recordText(record: RunRecord): string {
  const entries = entriesOf(record).map((change) =>
    // A record is made of puts alone.
    change.kind === "put" ? `[${JSON.stringify(change.key)},${encodeEntry(change.entry)}]` : "",
  );
  const body = `[${entries.join(",\n")}]`;
  return `${hash("sha256", body)}\n${body}`;
}

/**
 * Reads back what {@link recordText} wrote; the result shares nothing with anybody.
 * @throws PULSE_CORRUPT naming `at.where` when a character of it is another than was written; PULSE_NEWER_FORMAT
 */
export function recordOfText(text: string, at: EntryPlace): RunRecord {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  const found = hash("sha256", body);
  if (end < 0 || found !== text.slice(0, end)) {
    throw corrupt(at.runId, at.where, `its text has the SHA-256 ${found}, which is not that of its first line`);
  }
  const builder = recordBuilder(at.runId);
  // The digest says that it is what was written.
  for (const [key, json] of JSON.parse(body) as readonly (readonly [string, unknown])[]) {
    builder.apply({ kind: "put", key, entry: decodeEntry(key, json, at) });
  }
  return builder.view();
}

/** What a catalogue lists of a run (STORE-7), out of the header of its record. */
export function catalogRunOf({ runId, status, revision, version, resumes }: Header): CatalogRun {
  return { runId, status, revision, version, resumes };
}
