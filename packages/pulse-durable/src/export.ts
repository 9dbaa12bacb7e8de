import { sha256Hex } from "@pulse-ts/codec";
import { PulseError } from "@pulse-ts/core";
import { checkRecordAlone } from "./integrity/check.ts";
import { writeDocument } from "./record/document-write.ts";
import type { ReadyContent } from "./record/format.ts";
import { checkRunId, shownRunId } from "./run-id.ts";
import { askingStore } from "./runtime/run-error.ts";
import type { Catalog, Store } from "./store.ts";

/** See {@link Durable.export}. */
export async function exportRun({ catalog }: Store, runId: string): Promise<Uint8Array> {
  checkRunId(runId);
  if (catalog === undefined) {
    const message = `exporting run "${shownRunId(runId)}": its store has no catalogue; give one that has`;
    throw new PulseError("PULSE_USAGE", message, { details: { rule: "REC-26", runId, next: "mend-store" } });
  }
  const record = await askingStore(runId, "exporting", () => catalog.read(runId));
  // What could not be imported is no backup.
  checkRecordAlone(record, { runId, doing: "exporting" });
  return await writeDocument(record, (value, place) => contentOf(catalog, runId, value, place));
}

async function contentOf(catalog: Catalog, runId: string, value: ReadyContent, place: string): Promise<Uint8Array> {
  const { digest, size } = value.content;
  const content = catalog.content?.bind(catalog);
  const where = `${place} ${JSON.stringify(value.name)}`;
  if (content === undefined) throw damaged(runId, where, "rests in a content store, but the catalogue has none");
  const bytes = await askingStore(runId, "exporting", () => content(runId, digest));
  if (bytes.length !== size || sha256Hex(bytes) !== digest) {
    throw damaged(runId, where, `should have ${size} bytes with the digest ${digest}, the store gave others`);
  }
  return bytes;
}

function damaged(runId: string, where: string, problem: string): PulseError {
  return new PulseError(
    "PULSE_CORRUPT",
    `exporting run "${shownRunId(runId)}": ${where}: ${problem}; restore the run from a backup`,
    { details: { runId, next: "restore-backup", where } },
  );
}
