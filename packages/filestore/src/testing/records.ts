import { createHash } from "node:crypto";
import { attemptKey, entriesOf, headerKey, nodeKey, recordBuilder, scopeKey } from "@pulse-ts/durable";
import type { Header, RecordChange, RecordChanges, RunRecord } from "@pulse-ts/durable";

const rootId = "0".repeat(32);
const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const idOf = (number: number): string => number.toString(16).padStart(32, "0");

const headerAt = (runId: string, revision: number, fields: Partial<Header> = {}): Header => ({
  format: 2,
  runId,
  revision,
  version: "1",
  definition: sha256("definition"),
  inputs: sha256("inputs"),
  rootScope: rootId,
  status: "running",
  resumes: 0,
  ...fields,
});

/** A run that is saved step by step: each step confirms one node whose only value tells the step. */
export interface History {
  readonly runId: string;
  /** The record after so many saves. */
  at(revision: number): RunRecord;
  /** What makes the record of this revision out of the one before. */
  changesTo(revision: number): RecordChanges;
}

export interface HistoryOptions {
  readonly valueBytes?: number;
  /** After so many nodes the first ones are written anew, so that the record stops growing. */
  readonly nodesMax?: number;
  /** In place of bytes that tell the run and the revision. */
  readonly bytesAt?: (revision: number) => Uint8Array;
}

/** The same run each time it is asked for: so two processes can agree on it without talking. */
export function historyOf(
  runId: string,
  { valueBytes = 24, nodesMax = 1_000_000, bytesAt }: HistoryOptions = {},
): History {
  const changesTo = (revision: number): RecordChanges => {
    const node = (revision - 1) % nodesMax;
    const bytes = bytesAt?.(revision) ?? new Uint8Array(Buffer.alloc(valueBytes, `${runId} ${revision} `));
    const put = (key: string, entry: Extract<RecordChange, { kind: "put" }>["entry"]): RecordChange => ({
      kind: "put",
      key,
      entry,
    });
    const changes: RecordChange[] = [
      put(attemptKey(idOf(node)), {
        parent: rootId,
        nodeId: `node ${node}`,
        boundary: "",
        index: 1,
        limit: 1,
        state: "confirmed",
      }),
      put(nodeKey(rootId, `node ${node}`), {
        nodeId: `node ${node}`,
        attempt: idOf(node),
        reason: "completed",
        outputs: [{ name: "value", codec: "bytes", codecVersion: "1", state: "ready", digest: sha256(bytes), bytes }],
      }),
    ];
    if (revision > 1) return changes;
    const scope = { graph: "order", path: "", inputs: sha256("inputs"), bindings: false };
    return [put(headerKey, headerAt(runId, 1)), put(scopeKey(rootId), scope), ...changes];
  };
  let builder = recordBuilder(runId);
  let built = 0;
  return {
    runId,
    changesTo,
    at(revision) {
      if (revision < built) {
        builder = recordBuilder(runId);
        built = 0;
      }
      for (; built < revision; built += 1) for (const change of changesTo(built + 1)) builder.apply(change);
      // A copy: the builder goes on.
      return recordBuilder(runId, builder.view(revision)).view();
    },
  };
}

/** The smallest record of a run, and the changes of its first save. */
export function firstRecord(
  runId: string,
  fields: Partial<Header> = {},
): { readonly record: RunRecord; readonly changes: RecordChanges } {
  const builder = recordBuilder(runId);
  builder.apply({ kind: "put", key: headerKey, entry: headerAt(runId, 1, fields) });
  const record = builder.view();
  return { record, changes: entriesOf(record) };
}

/** The record with other fields in its header, one revision on, and the changes of that save. */
export function nextRecord(
  record: RunRecord,
  fields: Partial<Header> = {},
): { readonly record: RunRecord; readonly changes: RecordChanges } {
  const header: Header = { ...record.header, ...fields, revision: record.header.revision + 1 };
  return { record: { ...record, header }, changes: [{ kind: "put", key: headerKey, entry: header }] };
}
