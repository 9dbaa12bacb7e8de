import { hash } from "node:crypto";
import { attemptKey, headerKey, nodeKey, recordBuilder, recordFormat, scopeKey } from "@pulse-ts/durable";
import type { RecordChange, RecordChanges, RunRecord, Session } from "@pulse-ts/durable";

/** A run of which each save confirms one more node: the same each time, so that processes agree on it without talking. */
export interface SampleRun {
  readonly runId: string;
  /** The record after so many saves. */
  at(revision: number): RunRecord;
  changesTo(revision: number): RecordChanges;
}

export function sampleRun(runId: string): SampleRun {
  const changesTo = (revision: number): RecordChanges =>
    revision > 1 ? stepChanges(runId, revision) : [...firstChanges(runId), ...stepChanges(runId, revision)];
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

/** The saves after `from` up to `to`, one after the other. */
export async function saveSteps(session: Session, run: SampleRun, from: number, to: number): Promise<void> {
  for (let revision = from + 1; revision <= to; revision += 1) {
    await session.save(run.at(revision), revision - 1, run.changesTo(revision));
  }
}

const rootId = idOf(0);

function idOf(number: number): string {
  return number.toString(16).padStart(32, "0");
}

function firstChanges(runId: string): RecordChanges {
  const header = {
    format: recordFormat,
    runId,
    revision: 1,
    version: "1",
    definition: hash("sha256", "definition"),
    inputs: hash("sha256", "inputs"),
    rootScope: rootId,
    status: "running",
    resumes: 0,
  } as const;
  return [
    put(headerKey, header),
    put(scopeKey(rootId), { graph: "sample", path: "", inputs: hash("sha256", "inputs"), bindings: true }),
  ];
}

function stepChanges(runId: string, revision: number): RecordChanges {
  const bytes = new Uint8Array(Buffer.from(`${runId} ${revision}`));
  const nodeId = `step ${revision}`;
  const attempt = idOf(revision);
  const value = { name: "value", codec: "bytes", codecVersion: "1", state: "ready" } as const;
  return [
    put(attemptKey(attempt), { parent: rootId, nodeId, boundary: "", index: 1, limit: 1, state: "confirmed" }),
    put(nodeKey(rootId, nodeId), {
      nodeId,
      attempt,
      reason: "completed",
      outputs: [{ ...value, digest: hash("sha256", bytes), bytes }],
    }),
  ];
}

function put(key: string, entry: Extract<RecordChange, { kind: "put" }>["entry"]): RecordChange {
  return { kind: "put", key, entry };
}
