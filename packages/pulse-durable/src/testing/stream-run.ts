import { expect } from "vitest";
import { checkRecord } from "../integrity/check.ts";
import type { DefinitionView, GraphView, KeyView, NodeView, StreamView } from "../integrity/definition-view.ts";
import { idsKey } from "../record/entry-key.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RecordChanges, RunRecord, StreamEntry } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { LiveRecord } from "../record/live-record.ts";
import { sequencesOf } from "../record/sequence-runs.ts";
import { appendMessage } from "../transition/append-message.ts";
import { commitMessage } from "../transition/commit-message.ts";
import type { CommitMessage, HandledValues } from "../transition/commit-message.ts";
import { commitNode } from "../transition/commit-node.ts";
import type { CommitNode } from "../transition/commit-node.ts";
import { countResume } from "../transition/count-resume.ts";
import type { Decision } from "../transition/decision.ts";
import { failMessage } from "../transition/fail-message.ts";
import { messageAttempt } from "../transition/message-attempt.ts";
import { openAttempt } from "../transition/open-attempt.ts";
import { openStream } from "../transition/open-stream.ts";
import { raiseGenerations } from "../transition/raise-generations.ts";
import { startRun } from "../transition/start-run.ts";
import { digestOf, idOf, readyValue, rootId } from "./sample-record.ts";

export const [writer, handler, source, copy] = ["a", "b", "c", "d"].map(idOf) as [string, string, string, string];
export const groups = ["/handle", "/left", "/right"];
/** That of the stream which the handler writes. */
export const copyGroup = "/rest";

const codec = { codec: "string", codecVersion: "1" } as const;
const streamOf = (nodeId: string, key: string, capacity: number, readers: StreamView["readers"]): StreamView => ({
  path: "",
  nodeId,
  key,
  capacity,
  resumable: true,
  readers,
});
const log = streamOf("write", "log", 8, [{ path: "", nodeId: "handle", group: "/handle" }]);
const copied = streamOf("handle", "copy", 4, []);
const node = (provides: readonly KeyView[]): NodeView => ({ requires: [], provides, boundaries: [] });

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };

/** The definition that the run is of, for the checks of a resume. */
const definition: DefinitionView = {
  graph: (path) => (path === "" ? graph : undefined),
};
const graph: GraphView = {
  graph: "g",
  nodes: new Map([
    ["write", node([{ name: "log", ...codec, stream: log }])],
    [
      "handle",
      node([
        { name: "copy", ...codec, stream: copied },
        { name: "total", ...codec },
      ]),
    ],
  ]),
  providers: new Map(),
};

/**
 * A run whose node `write` has opened a stream `log`, and whose node `handle` handles it and has opened a stream `copy`; each
 * decision is a save.
 */
export class StreamRun {
  live: LiveRecord;
  /** Of `log`, and of `copy`. */
  generation = 1;
  copyGeneration = 1;

  constructor() {
    const first = { ...call, rootScope: rootId, graph: "g", rootNodes: 2 };
    const builder = recordBuilder("run");
    for (const change of startRun(first)) builder.apply(change);
    this.live = liveRecord(builder.view());
    this.begin();
    const stream = { scope: rootId, nodeId: "write", key: "log", attempt: writer, capacity: 8, resumable: true };
    const read = groups.map((name) => ({ name, stopped: false }));
    this.save(openStream(this.live.confirmed, { ...stream, groups: read, newId: source }));
    const second = { scope: rootId, nodeId: "handle", key: "copy", attempt: handler, capacity: 4, resumable: true };
    const rest = [{ name: copyGroup, stopped: false }];
    this.save(openStream(this.live.confirmed, { ...second, groups: rest, newId: copy }));
  }

  /** Opens the attempts of both nodes, or recognises those that a save holds (DUR-10). */
  begin(): void {
    const nodes = [
      [writer, "write"],
      [handler, "handle"],
    ] as const;
    for (const [newId, nodeId] of nodes) {
      if ((this.record.attempts.get(newId)?.state ?? "active") !== "active") continue;
      const at = { scope: rootId, nodeId, path: nodeId, parent: rootId, boundary: "", limit: 1, newId };
      const { entry, state } = openAttempt(this.live.confirmed, at).result;
      if (state === "new") this.live.pend(newId, entry);
    }
  }

  get record(): RunRecord {
    return this.live.confirmed.record;
  }

  /** Saves a decision; what is folded from the changes is the record (REC-25), and each key is in them once (REC-31). */
  save<Result>({ changes, result }: Decision<Result>): Result {
    const builder = recordBuilder("run", this.record);
    const draft = this.live.draft();
    draft.add(changes);
    const saved = draft.changes();
    draft.confirm();
    for (const change of saved) builder.apply(change);
    expectFolded(saved, builder.view(this.record.header.revision), this.record);
    return result;
  }

  append(text: string) {
    const { generation } = this;
    const message = { value: readyValue("log", text), cursor: readyValue("log", `at ${text}`) };
    return this.save(appendMessage(this.live.confirmed, { sourceId: source, generation, ...message }));
  }

  commit(command: Omit<CommitMessage, "sourceId" | "generation">) {
    const { generation } = this;
    return this.save(commitMessage(this.live.confirmed, { sourceId: source, generation, ...command }));
  }

  handle(sequence: number, state: string, made: Partial<HandledValues> = {}) {
    const { index } = this.nextTry(sequence);
    const handled = { scope: rootId, nodeId: "handle", parent: handler, index, limit: 2, values: [], sends: [] };
    const values = { ...handled, state: readyValue("", state), ...made };
    return this.commit({ group: "/handle", sequence, stop: false, handled: values });
  }

  /** What a handler sends on its own stream. */
  copies(texts: readonly string[]): HandledValues["sends"] {
    const messages = texts.map((text) => ({ value: readyValue("copy", text) }));
    return [{ sourceId: copy, generation: this.copyGeneration, messages }];
  }

  acknowledgeCopy(sequence: number) {
    const at = { sourceId: copy, generation: this.copyGeneration, group: copyGroup };
    return this.save(commitMessage(this.live.confirmed, { ...at, sequence, stop: false }));
  }

  stopCopy() {
    const at = { sourceId: copy, generation: this.copyGeneration, group: copyGroup };
    return this.save(commitMessage(this.live.confirmed, { ...at, stop: true }));
  }

  nextTry(sequence: number, limit = 2) {
    const at = {
      sourceId: source,
      group: "/handle",
      sequence,
      scope: rootId,
      nodeId: "handle",
      parent: handler,
      limit,
    };
    return messageAttempt(this.live.confirmed, at);
  }

  failTry(sequence: number, limit = 2) {
    const { generation } = this;
    const { index } = this.nextTry(sequence, limit);
    const at = { sourceId: source, group: "/handle", sequence, nodeId: "handle", parent: handler };
    this.save(failMessage(this.live.confirmed, { ...at, generation, index, limit }));
  }

  /** Confirms the node that writes `log`, whose stream is completed with it. */
  commitWriter() {
    const outputs = [{ name: "log", ...codec, state: "stream", sourceId: source } as const];
    return this.confirm("write", writer, outputs, []);
  }

  /** Confirms the node that handles, and leaves its group. */
  commitHandler() {
    const outputs = [{ name: "copy", ...codec, state: "stream", sourceId: copy } as const, readyValue("total", "1")];
    return this.confirm("handle", handler, outputs, [
      { sourceId: source, generation: this.generation, group: "/handle" },
    ]);
  }

  confirm(nodeId: string, attempt: string, outputs: CommitNode["outputs"], stops: NonNullable<CommitNode["stops"]>) {
    const confirmed = { scope: rootId, nodeId, attempt, reason: "completed", outputs } as const;
    return this.save(commitNode(this.live.confirmed, { ...confirmed, rootNodes: 2, stops }));
  }

  /** What another process finds, and raises with its first save. */
  restart(): void {
    const builder = recordBuilder("run");
    for (const change of entriesOf(this.record)) builder.apply(structuredClone(change));
    this.live = liveRecord(builder.view());
    this.begin();
    if (this.record.header.status === "running") this.save(countResume(this.live.confirmed, {}));
    if (this.isOpen(source)) this.generation += 1;
    if (this.isOpen(copy)) this.copyGeneration += 1;
    this.save(raiseGenerations(this.live.confirmed));
  }

  isOpen(sourceId: string): boolean {
    return this.groupOf(sourceId === copy ? copyGroup : "/left").end === "open";
  }

  groupOf(name: string): StreamEntry {
    const entry = this.record.streams.get(idsKey(name === copyGroup ? copy : source, name));
    if (entry === undefined) throw new Error(`there is no group ${name}`);
    return entry;
  }

  pendingOf(name: string): readonly number[] {
    return [...sequencesOf(this.groupOf(name).pending)];
  }

  /** Refuses what a resume of the run would refuse as damaged. */
  check(): void {
    checkRecord(this.record, definition, call);
  }
}

function expectFolded(saved: RecordChanges, folded: RunRecord, record: RunRecord): void {
  expect(new Set(saved.map(({ key }) => key)).size).toBe(saved.length);
  expect(sortedEntries(folded)).toEqual(sortedEntries(record));
}

const sortedEntries = (record: RunRecord): RecordChanges =>
  entriesOf(record).toSorted((one, other) => (one.key < other.key ? -1 : 1));
