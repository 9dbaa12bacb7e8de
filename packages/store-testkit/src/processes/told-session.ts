import { isPulseError } from "@pulse-ts/core";
import type { RunRecord, Session } from "@pulse-ts/durable";
import type { ChildVoice } from "../crash/child-voice.ts";
import { sameRecord } from "../same-record.ts";
import type { SampleRun } from "../sample-run.ts";
import type { ProcessEvent } from "./process-event.ts";

/** Loads, tells which revision is there and whether the record is the one of that revision. 0: no run is there. */
export async function loadTold(session: Session, run: SampleRun, tell: ChildVoice<ProcessEvent>): Promise<number> {
  const { runId } = run;
  const record = await loadOrNothing(session);
  if (record === undefined) {
    tell({ kind: "loaded", runId, revision: 0 });
    return 0;
  }
  const { revision } = record.header;
  const difference = await differenceOf(session, run, record);
  tell({ kind: "loaded", runId, revision, ...(difference === undefined ? {} : { difference }) });
  return revision;
}

/** Saves this revision, and tells before and after. */
export async function saveTold(
  session: Session,
  run: SampleRun,
  revision: number,
  tell: ChildVoice<ProcessEvent>,
): Promise<void> {
  const next = run.at(revision);
  const changes = run.changesTo(revision);
  tell({ kind: "saving", runId: run.runId, revision });
  await session.save(next, revision - 1, changes);
  tell({ kind: "saved", runId: run.runId, revision });
}

/** The record; nothing where there is none yet. */
export async function loadOrNothing(session: Session): Promise<RunRecord | undefined> {
  try {
    return await session.load();
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return undefined;
    throw error;
  }
}

async function differenceOf(session: Session, run: SampleRun, record: RunRecord): Promise<string | undefined> {
  const { revision } = record.header;
  if (!Number.isSafeInteger(revision) || revision < 1) return `its revision is ${revision}`;
  try {
    await sameRecord("the record", record, run.at(revision), session.content?.bind(session));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
