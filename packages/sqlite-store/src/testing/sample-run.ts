import { hash } from "node:crypto";
import { attemptKey, headerKey, nodeKey, recordBuilder, scopeKey } from "@pulse-ts/durable";
import type { Header, RecordChange, RecordChanges, RunRecord, Session } from "@pulse-ts/durable";

const rootId = "0".repeat(32);
const idOf = (number: number): string => number.toString(16).padStart(32, "0");
/** A put of an entry. */
export const put = (key: string, entry: Extract<RecordChange, { kind: "put" }>["entry"]): RecordChange => ({
  kind: "put",
  key,
  entry,
});

/** A run that is saved step by step; each step confirms one node. The same each time it is asked for. */
export interface Sample {
  readonly runId: string;
  at(revision: number): RunRecord;
  changesTo(revision: number): RecordChanges;
}

export interface SampleOptions {
  readonly bytesAt?: (revision: number) => Uint8Array;
  readonly header?: Partial<Header>;
  /** After so many nodes the first ones are written anew. */
  readonly nodesMax?: number;
}

export function sample(runId: string, { bytesAt, header = {}, nodesMax = Infinity }: SampleOptions = {}): Sample {
  const changesTo = (revision: number): RecordChanges => {
    const bytes = bytesAt?.(revision) ?? new Uint8Array(Buffer.from(`${runId} ${revision}`));
    const at = (revision - 1) % nodesMax;
    const nodeId = `node ${at}`;
    const value = { name: "value", codec: "bytes", codecVersion: "1", digest: hash("sha256", bytes), bytes };
    const step = [
      put(attemptKey(idOf(at)), { parent: rootId, nodeId, boundary: "", index: 1, limit: 1, state: "confirmed" }),
      put(nodeKey(rootId, nodeId), {
        nodeId,
        attempt: idOf(at),
        reason: "completed",
        outputs: [{ ...value, state: "ready" }],
      }),
    ];
    return revision > 1 ? step : [...firstChanges(runId, header), ...step];
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
      return recordBuilder(runId, builder.view(revision)).view();
    },
  };
}

function firstChanges(runId: string, header: Partial<Header>): RecordChanges {
  return [
    put(headerKey, {
      format: 2,
      runId,
      revision: 1,
      version: "1",
      definition: hash("sha256", "definition"),
      inputs: hash("sha256", "inputs"),
      rootScope: rootId,
      status: "running",
      resumes: 0,
      ...header,
    }),
    put(scopeKey(rootId), { graph: "sample", path: "", inputs: hash("sha256", "inputs"), bindings: true }),
  ];
}

/** Saves the steps after `from` up to `to`. */
export async function saveUpTo(session: Session, run: Sample, from: number, to: number): Promise<void> {
  for (let revision = from + 1; revision <= to; revision += 1) {
    await session.save(run.at(revision), revision - 1, run.changesTo(revision));
  }
}
