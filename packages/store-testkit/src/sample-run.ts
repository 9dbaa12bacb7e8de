import { createHash } from "node:crypto";
import { attemptKey, headerKey, nodeKey, recordBuilder, recordFormat, scopeKey } from "@pulse-ts/durable";
import type { Header, RecordChange, RecordChanges, RunRecord, Session, ValueRecord } from "@pulse-ts/durable";

/** A run that is saved step by step; each step confirms a node whose value tells the run and the step. */
export interface SampleRun {
  readonly runId: string;
  /** The record after so many saves. */
  at(revision: number): RunRecord;
  /** What makes the record of this revision out of the one before. */
  changesTo(revision: number): RecordChanges;
}

export interface SampleOptions {
  /** Other fields of the header, from the first save on. */
  readonly header?: Partial<Header>;
  /** The value of each step; by default a few bytes that tell the run and the step. */
  readonly bytesAt?: (revision: number) => Uint8Array;
}

/** The same run each time it is asked for, so that processes can agree on it without talking. */
export function sampleRun(runId: string, { header = {}, bytesAt }: SampleOptions = {}): SampleRun {
  const changesTo = (revision: number): RecordChanges => {
    const bytes = bytesAt?.(revision) ?? new Uint8Array(Buffer.from(`${runId} ${revision}`));
    const id = idOf(revision);
    const step: RecordChanges = [
      put(attemptKey(id), {
        parent: rootId,
        nodeId: `step ${revision}`,
        boundary: "",
        index: 1,
        limit: 1,
        state: "confirmed",
      }),
      put(nodeKey(rootId, `step ${revision}`), {
        nodeId: `step ${revision}`,
        attempt: id,
        reason: "completed",
        outputs: [readyValue(bytes)],
      }),
    ];
    return revision > 1 ? step : [...firstChanges(runId, header), ...step];
  };
  return {
    runId,
    changesTo,
    at(revision) {
      const builder = recordBuilder(runId);
      for (let step = 1; step <= revision; step += 1) for (const change of changesTo(step)) builder.apply(change);
      return builder.view(revision);
    },
  };
}

/** The changes of the smallest first save: header and root scope. */
export function firstChanges(runId: string, fields: Partial<Header> = {}): RecordChanges {
  return [
    put(headerKey, headerOf(runId, fields)),
    put(scopeKey(rootId), { graph: "sample", path: "", inputs: sha256("inputs"), bindings: true }),
  ];
}

/** A header of a run, its revision 1 unless `fields` say else. */
export function headerOf(runId: string, fields: Partial<Header> = {}): Header {
  return {
    format: recordFormat,
    runId,
    revision: 1,
    version: "1",
    definition: sha256("definition"),
    inputs: sha256("inputs"),
    rootScope: rootId,
    status: "running",
    resumes: 0,
    ...fields,
  };
}

/** The record that these changes make out of another, and the revision that it then has. */
export function folded(runId: string, changes: RecordChanges, from?: RunRecord): RunRecord {
  const builder = recordBuilder(runId, from);
  for (const change of changes) builder.apply(change);
  return builder.view((from?.header.revision ?? 0) + 1);
}

/** Saves the steps after `from` up to `to`, one save each. */
export async function saveSteps(session: Session, run: SampleRun, from: number, to: number): Promise<void> {
  for (let revision = from + 1; revision <= to; revision += 1) await saveStep(session, run, revision);
}

/** Saves one step. */
export async function saveStep(session: Session, run: SampleRun, revision: number): Promise<void> {
  await session.save(run.at(revision), revision - 1, run.changesTo(revision));
}

/** A value that is there, with its digest. */
export function readyValue(bytes: Uint8Array, head: { codec?: string; codecVersion?: string } = {}): ValueRecord {
  const { codec = "bytes", codecVersion = "1" } = head;
  return { name: "value", codec, codecVersion, state: "ready", digest: sha256(bytes), bytes };
}

/** A put of an entry. */
export function put(key: string, entry: Extract<RecordChange, { kind: "put" }>["entry"]): RecordChange {
  return { kind: "put", key, entry };
}

/** The id of the root scope of every sample. */
export const rootId = "0".repeat(32);

/** An id in the form that REC-1 gives them. */
export const idOf = (number: number): string => number.toString(16).padStart(32, "0");

/** A digest in the record's form. */
export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
