import { isPulseError, PulseError } from "@pulse-ts/core";
import { checkIsRecord, checkRecordAlone } from "./integrity/check.ts";
import { readDocument } from "./record/document-read.ts";
import { entriesOf } from "./record/fold.ts";
import type { RunRecord, RunStatus } from "./record/format.ts";
import { checkRunId, shownRunId } from "./run-id.ts";
import { refuseArgument } from "./runtime/check-options.ts";
import { askingStore } from "./runtime/run-error.ts";
import type { CallOptions, Session, Store } from "./store.ts";

/** A run that was imported (REC-26). */
export interface ImportedRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly version: string;
  /** Of the first save: a store counts each run from 1 (STORE-3). */
  readonly revision: number;
}

/** See {@link Durable.import}. */
export async function importRun(
  store: Store,
  document: string | Uint8Array,
  options: CallOptions = {},
): Promise<ImportedRun> {
  checkDocument(document);
  const found = readDocument(document);
  const { runId, status, version } = found.header;
  checkNamed(runId);
  checkRecordAlone(found, { runId, doing: "importing" });
  const record: RunRecord = { ...found, header: { ...found.header, revision: 1 } };
  const asking = <Result>(work: () => Promise<Result>): Promise<Result> => askingStore(runId, "importing", work);
  const session = await asking(() => store.acquire(runId, options));
  try {
    await asking(() => refuseExisting(session, runId, options));
    await asking(() => session.save(record, 0, entriesOf(record)));
  } catch (error) {
    await session.close().catch(() => {});
    throw error;
  }
  await asking(() => session.close());
  return { runId, status, version, revision: 1 };
}

function checkDocument(given: unknown): void {
  if (typeof given === "string" || given instanceof Uint8Array) return;
  const give = "what `await pulse.export(runId)` gives, as bytes or as text";
  refuseArgument("importing a run: the document", given, give, { runId: "", next: "start" });
}

/** A run id that no run can have is damage of the document, wherever else it would be a mistake of the caller. */
function checkNamed(runId: string): void {
  try {
    checkRunId(runId);
  } catch (error) {
    const where = "document: header runId";
    throw new PulseError("PULSE_CORRUPT", `importing run "${shownRunId(runId)}": ${where}: it names no run`, {
      details: { runId, next: "restore-backup", where },
      cause: error,
    });
  }
}

/** A run that is there is never written over. */
async function refuseExisting(session: Session, runId: string, options: CallOptions): Promise<void> {
  let found: RunRecord;
  try {
    found = await session.load(options);
    checkIsRecord(found, { runId, doing: "importing" });
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return;
    throw error;
  }
  const { status } = found.header;
  throw new PulseError(
    "PULSE_CONFLICT",
    `importing run "${shownRunId(runId)}": a run of this id is there already (${status}); delete it first, or leave it`,
    { details: { runId, next: "resume", what: "run id", found: status } },
  );
}
