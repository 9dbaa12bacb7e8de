import { idsKey, messageIds, tryIds } from "../record/entry-key.ts";
import { recordBuilder } from "../record/fold.ts";
import type { NodeEntry, ReadyValue, RecordChange, RunRecord, StreamEntry, StreamValue } from "../record/format.ts";
import { digestOf, idOf, readyValue, rootAttempt, rootId, sampleRecord, skippedValue } from "./sample-record.ts";
import { entryAt } from "./whole-record.ts";

/** A whole record of the definition with streams, and changes of it. */

const pair = (text: string): string => text.repeat(16);

/** Root attempts; `boxRoot` is also a scope. */
export const [readRoot, handleRoot, tailRoot, boxRoot, againRoot, makeRoot, useRoot] = [
  "a",
  "b",
  "c",
  "d",
  "e",
  "6",
  "7",
].map(idOf) as [string, string, string, string, string, string, string];
/** The tries of `again`: one is void, one goes on. Both are scopes. */
export const [again1, again2, gen1, gen2] = ["a1", "a2", "b1", "b2"].map(pair) as [string, string, string, string];
/** Streams. */
export const [rowsId, logId, innerId, items1, items2] = ["1", "2", "3", "4", "5"].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];

export const ready = (name: string, text: string): ReadyValue => readyValue(name, text) as ReadyValue;

export const rowsOf = (group: string, fields: Partial<StreamEntry> = {}): StreamEntry => ({
  scope: rootId,
  nodeId: "read",
  key: "rows",
  group,
  sourceId: rowsId,
  attempt: readRoot,
  generation: 2,
  capacity: 4,
  resumable: true,
  lastSequence: 5,
  cursor: ready("rows", "at 5"),
  ackedThrough: 2,
  pending: [],
  stopped: false,
  end: "open",
  ...fields,
});
function other(fields: Pick<StreamEntry, "scope" | "nodeId" | "key" | "group" | "sourceId" | "attempt">): StreamEntry {
  const { cursor: _, ...entry } = rowsOf(fields.group, { generation: 1, lastSequence: 0, ackedThrough: 0, ...fields });
  return entry;
}
const innerOf = (group: string, fields: Partial<StreamEntry>): StreamEntry => ({
  ...other({ scope: boxRoot, nodeId: "make", key: "inner", group, sourceId: innerId, attempt: makeRoot }),
  lastSequence: 1,
  end: "completed",
  ...fields,
});
const itemsOf = (scope: string, sourceId: string, attempt: string): StreamEntry => ({
  ...other({ scope, nodeId: "gen", key: "items", group: "again/eat", sourceId, attempt }),
  lastSequence: 1,
  pending: [[1, 1]],
});

export const descriptor = (name: string, fields: Partial<StreamValue["stream"]> = {}): StreamValue => ({
  name,
  codec: "string",
  codecVersion: "1",
  state: "stream",
  stream: { sourceId: innerId, attempt: makeRoot, capacity: 4, end: "completed", ...fields },
});
const confirmed = (nodeId: string, attempt: string, outputs: NodeEntry["outputs"]): NodeEntry => ({
  nodeId,
  attempt,
  reason: "completed",
  outputs,
});

const handled = { sourceId: rowsId, group: "handle", nodeId: "handle", parent: handleRoot };
const streams = [
  rowsOf("handle", {
    pending: [
      [3, 3],
      [5, 5],
    ],
  }),
  rowsOf("shared/1", { ackedThrough: 3, pending: [[4, 5]] }),
  rowsOf("host", { ackedThrough: 1, stopped: true }),
  other({ scope: rootId, nodeId: "read", key: "log", group: "tail", sourceId: logId, attempt: readRoot }),
  innerOf("box/use", { ackedThrough: 1 }),
  innerOf("last", { pending: [[1, 1]] }),
  itemsOf(again1, items1, gen1),
  itemsOf(again2, items2, gen2),
];
const messages = [3, 4, 5].map((sequence) => [rowsId, sequence, "rows"] as const);

/** `read` writes; `handle` has acknowledged 1, 2 and 4 and is at the second try of 3; `box` has ended with a rest for `last`. */
export const wholeStreams: RunRecord = {
  ...sampleRecord({
    header: { resumes: 1 },
    scopes: {
      [boxRoot]: { graph: "boxed", path: "box", inputs: digestOf("box"), bindings: true },
      [again1]: { graph: "retried", path: "again", inputs: digestOf("again"), bindings: true },
      [again2]: { graph: "retried", path: "again", inputs: digestOf("again"), bindings: true },
    },
    attempts: {
      [readRoot]: rootAttempt("read"),
      [handleRoot]: rootAttempt("handle"),
      [tailRoot]: rootAttempt("tail"),
      [boxRoot]: rootAttempt("box", { state: "confirmed" }),
      [makeRoot]: rootAttempt("make", { parent: boxRoot, state: "confirmed" }),
      [useRoot]: rootAttempt("use", { parent: boxRoot, state: "confirmed" }),
      [againRoot]: rootAttempt("again"),
      [again1]: rootAttempt("again", { parent: againRoot, boundary: "0", limit: 2, state: "failed" }),
      [again2]: rootAttempt("again", { parent: againRoot, boundary: "0", limit: 2, index: 2 }),
      [gen1]: rootAttempt("gen", { parent: again1 }),
      [gen2]: rootAttempt("gen", { parent: again2 }),
    },
    nodes: {
      [rootId]: { box: confirmed("box", boxRoot, [descriptor("out")]) },
      [boxRoot]: {
        make: confirmed("make", makeRoot, [descriptor("inner")]),
        use: confirmed("use", useRoot, []),
      },
    },
  }),
  streams: new Map(streams.map((entry) => [idsKey(entry.sourceId, entry.group), entry])),
  messages: new Map(
    [...messages, [innerId, 1, "inner"] as const, [items1, 1, "items"] as const, [items2, 1, "items"] as const].map(
      ([sourceId, sequence, name]) => [messageIds(sourceId, sequence), { value: ready(name, `message ${sequence}`) }],
    ),
  ),
  tries: new Map([
    [tryIds({ ...handled, sequence: 2 }, 2), { limit: 3, state: "confirmed" }],
    [tryIds({ ...handled, sequence: 3 }, 1), { limit: 3, state: "failed" }],
    [tryIds({ ...handled, sequence: 3 }, 2), { limit: 3, state: "active" }],
    [tryIds({ ...handled, sequence: 4 }, 1), { limit: 3, state: "confirmed" }],
  ]),
  managed: new Map([
    [
      idsKey(rootId, handleRoot, "handle"),
      { state: ready("", "2 rows"), values: [ready("total", "2"), skippedValue("note") as never] },
    ],
  ]),
};

/** The entry key of a try of `handle`. */
export const handleTry = (sequence: number, index: number): string => `try/${tryIds({ ...handled, sequence }, index)}`;

/** The whole record with some changes. */
export function changedStreams(...changes: readonly RecordChange[]): RunRecord {
  const builder = recordBuilder("run", wholeStreams);
  for (const change of changes) builder.apply(change);
  return builder.view();
}

/** The change that sets some fields of an entry. */
export function setIn(key: string, fields: object): RecordChange {
  return { kind: "put", key, entry: { ...entryAt(wholeStreams, key), ...fields } };
}
