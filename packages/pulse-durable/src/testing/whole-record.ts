import { nodeKey } from "../record/entry-key.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { NodeEntry, RecordChange, RecordEntry, RunRecord } from "../record/format.ts";
import { digestOf, idOf, readyValue, rootAttempt, rootId, sampleRecord, skippedValue } from "./sample-record.ts";

/** A whole record of the sample definition, and changes of it. */

/** `fetch` confirmed at its second try; `score` in its second try, its first one void with a confirmed `weigh` inside. */
export const [fetchRoot, fetch1, fetch2, scoreRoot, score1, score2] = ["a", "b", "c", "d", "e", "f"].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
export const [voidWeigh, weighRoot, weigh1, weigh11, sumRoot] = ["1", "2", "3", "4", "5"].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];
export const nodeOf = (nodeId: string, attempt: string, outputs: NodeEntry["outputs"]): NodeEntry => ({
  nodeId,
  attempt,
  reason: "completed",
  outputs,
});
export const child = { graph: "scoring", path: "score", inputs: digestOf("child"), bindings: true };
export const retryOf = (nodeId: string, parent: string, index: number, limit: number, boundary = "0") =>
  rootAttempt(nodeId, { parent, index, limit, boundary });
export const whole = sampleRecord({
  scopes: { [score1]: child, [score2]: child },
  attempts: {
    [fetchRoot]: rootAttempt("fetch", { state: "confirmed" }),
    [fetch1]: { ...retryOf("fetch", fetchRoot, 1, 3), state: "failed" },
    [fetch2]: retryOf("fetch", fetchRoot, 2, 3),
    [scoreRoot]: rootAttempt("score"),
    [score1]: { ...retryOf("score", scoreRoot, 1, 2), state: "failed" },
    [score2]: retryOf("score", scoreRoot, 2, 2),
    [voidWeigh]: rootAttempt("weigh", { parent: score1, state: "confirmed" }),
    [weighRoot]: rootAttempt("weigh", { parent: score2, state: "confirmed" }),
    [weigh1]: retryOf("weigh", weighRoot, 1, 2, "1"),
    [weigh11]: retryOf("weigh", weigh1, 1, 2, "2"),
    [sumRoot]: rootAttempt("sum", { parent: score2 }),
  },
  nodes: {
    [rootId]: { fetch: nodeOf("fetch", fetchRoot, [readyValue("page", "text")]) },
    [score1]: { weigh: nodeOf("weigh", voidWeigh, [readyValue("weight", "")]) },
    [score2]: { weigh: nodeOf("weigh", weighRoot, [skippedValue("weight")]) },
  },
});
export const fetchKey = nodeKey(rootId, "fetch");

export const entryAt = (record: RunRecord, key: string): RecordEntry | undefined => {
  const put = entriesOf(record).find((change) => change.key === key);
  return put?.kind === "put" ? put.entry : undefined;
};
export const changed = (...changes: readonly RecordChange[]): RunRecord => {
  const builder = recordBuilder("run", whole);
  for (const change of changes) builder.apply(change);
  return builder.view();
};
export const put = (key: string, entry: RecordEntry): RecordChange => ({ kind: "put", key, entry });
export const gone = (key: string): RecordChange => ({ kind: "delete", key });
/** The change that sets some fields of an entry. */
export const set = (key: string, fields: object): RecordChange => put(key, { ...entryAt(whole, key), ...fields });
