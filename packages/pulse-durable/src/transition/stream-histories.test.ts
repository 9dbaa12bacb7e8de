import { expect, test } from "vitest";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RecordChanges, RunRecord } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { LiveRecord } from "../record/live-record.ts";
import { packEntry } from "../record/packed-entry.ts";
import { sequencesOf } from "../record/sequence-runs.ts";
import { errorOf } from "../testing/error-of.ts";
import { seeded, seedOf } from "../testing/random.ts";
import { digestOf, idOf, readyValue, rootId } from "../testing/sample-record.ts";
import { appendMessage } from "./append-message.ts";
import { commitMessage } from "./commit-message.ts";
import type { CommitMessage } from "./commit-message.ts";
import { commitNode } from "./commit-node.ts";
import type { Decision } from "./decision.ts";
import { failAttempt } from "./fail-attempt.ts";
import { failMessage } from "./fail-message.ts";
import { messageAttempt } from "./message-attempt.ts";
import { openAttempt } from "./open-attempt.ts";
import { openStream } from "./open-stream.ts";
import { raiseGenerations } from "./raise-generations.ts";
import { startRun } from "./start-run.ts";

const seed = seedOf(process.env, Math.floor(Math.random() * 1_000_000));
const [writer, handler, source] = ["a", "b", "c"].map(idOf) as [string, string, string];
const groups = ["/handle", "/left", "/right"];

/** A run whose node `write` has opened a stream and whose node `handle` handles it; each decision is a save. */
class StreamRun {
  live: LiveRecord;
  generation = 1;

  constructor() {
    const [definition, inputs] = [digestOf("definition"), digestOf("inputs")];
    const first = { runId: "run", version: "1", definition, inputs, rootScope: rootId, graph: "g", rootNodes: 2 };
    const builder = recordBuilder("run");
    for (const change of startRun(first)) builder.apply(change);
    this.live = liveRecord(builder.view());
    this.begin();
    const stream = { scope: rootId, nodeId: "write", key: "log", attempt: writer, capacity: 8, resumable: true };
    const read = groups.map((name) => ({ name, stopped: false }));
    this.save(openStream(this.live.confirmed, { ...stream, groups: read, newId: source }));
  }

  /** Opens the attempts of both nodes, or recognises those that a save holds (DUR-10). */
  begin(): void {
    const nodes = [
      [writer, "write"],
      [handler, "handle"],
    ] as const;
    for (const [newId, nodeId] of nodes) {
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

  handle(sequence: number, state: string, limit = 2) {
    const { index } = this.nextTry(sequence, limit);
    const handled = { scope: rootId, nodeId: "handle", parent: handler, index, limit, values: [], sends: [] };
    return this.commit({
      group: "/handle",
      sequence,
      stop: false,
      handled: { ...handled, state: readyValue("", state) },
    });
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
    const at = {
      sourceId: source,
      generation,
      group: "/handle",
      sequence,
      nodeId: "handle",
      parent: handler,
      index,
      limit,
    };
    this.save(failMessage(this.live.confirmed, at));
  }

  /** What another process finds, and raises with its first save. */
  restart(): void {
    const builder = recordBuilder("run");
    for (const change of entriesOf(this.record)) builder.apply(structuredClone(change));
    this.live = liveRecord(builder.view());
    if (this.record.nodes.size === 0) this.begin();
    this.save(raiseGenerations(this.live.confirmed));
    this.generation += 1;
  }

  pendingOf(name: string): readonly number[] {
    const entry = [...this.record.streams.values()].find(({ group }) => group === name);
    return [...sequencesOf(entry?.pending ?? [])];
  }
}

function expectFolded(saved: RecordChanges, folded: RunRecord, record: RunRecord): void {
  expect(new Set(saved.map(({ key }) => key)).size).toBe(saved.length);
  expect(sortedEntries(folded)).toEqual(sortedEntries(record));
}

const sortedEntries = (record: RunRecord): RecordChanges =>
  entriesOf(record).toSorted((one, other) => (one.key < other.key ? -1 : 1));

interface ModelGroup {
  readonly pending: Set<number>;
  stopped: boolean;
}

test(`REC-20 REC-25 REC-29 REC-31 STR-7 STR-21 STR-22 STR-24 STR-36 random histories of streams keep each account as a model does (PULSE_SEED=${seed})`, () => {
  for (let history = 0; history < 60; history += 1) {
    const random = seeded(seed + history);
    const run = new StreamRun();
    const model = new Map<string, ModelGroup>(groups.map((name) => [name, { pending: new Set(), stopped: false }]));
    let last = 0;
    const pick = <Item>(items: readonly Item[]): Item | undefined => items[random.below(items.length)];
    for (let step = 0; step < 80; step += 1) {
      const name = pick(groups) as string;
      const group = model.get(name) as ModelGroup;
      const sequence = pick([...group.pending]);
      const dice = random.below(100);
      if (dice < 40) {
        const all = [...model.values()];
        const result = run.append(String(last + 1));
        if (all.every(({ stopped }) => stopped)) expect(result).toEqual({ refused: "unread" });
        else {
          last += 1;
          expect(result).toEqual({ sequence: last });
          for (const each of all) if (!each.stopped) each.pending.add(last);
        }
      } else if (dice < 85) {
        if (sequence === undefined) continue;
        if (name === "/handle" && random.below(2) === 0) {
          const { index, exhausted } = run.nextTry(sequence);
          expect(exhausted).toBe(false);
          if (index === 1 && random.below(3) === 0) {
            run.failTry(sequence);
            expect(run.nextTry(sequence)).toMatchObject({ index: 2, exhausted: false });
          }
          run.handle(sequence, `after ${sequence}`);
        } else run.commit({ group: name, sequence, stop: false });
        // Twice is harmless.
        run.commit({ group: name, sequence, stop: false });
        group.pending.delete(sequence);
      } else if (dice < 90) run.restart();
      else if (dice < 92) {
        run.commit({ group: name, stop: true });
        group.stopped = true;
        group.pending.clear();
      }
      for (const [key, { pending, stopped }] of model) {
        const entry = [...run.record.streams.values()].find((each) => each.group === key);
        const open = [...pending].toSorted((one, other) => one - other);
        expect(run.pendingOf(key)).toEqual(open);
        expect(entry).toMatchObject({ lastSequence: last, stopped, generation: run.generation, end: "open" });
        if (!stopped) expect(entry?.ackedThrough).toBe((open[0] ?? last + 1) - 1);
      }
      const wanted = new Set([...model.values()].flatMap(({ pending }) => [...pending]));
      expect(run.record.messages.size).toBe(wanted.size);
    }
  }
});

test("STR-29 REC-22 a record has as many entries and bytes after 5,000 handled messages as after 100", () => {
  const sizes = [100, 5_000].map((messages) => {
    const run = new StreamRun();
    for (const name of ["/left", "/right"]) run.commit({ group: name, stop: true });
    for (let sequence = 1; sequence <= messages; sequence += 1) {
      run.append("text");
      if (sequence % 7 === 0) run.failTry(sequence);
      run.handle(sequence, "state");
    }
    expect(run.record.messages.size).toBe(0);
    expect(run.record.tries.size).toBe(1);
    expect(run.record.managed.size).toBe(1);
    const bytes = entriesOf(run.record).map((change) =>
      change.kind === "put" ? change.key.length + packEntry(change.key, change.entry).text.length : 0,
    );
    return { entries: bytes.length, bytes: bytes.reduce((sum, each) => sum + each, 0) };
  });
  const [few, many] = sizes as [(typeof sizes)[number], (typeof sizes)[number]];
  expect(many.entries).toBe(few.entries);
  expect(many.bytes).toBeLessThan(few.bytes * 1.05);
}, 120_000);

test("STR-24 REC-12 the budget of a message is kept over restarts, and its limit stays what it was", () => {
  const run = new StreamRun();
  run.append("one");
  run.failTry(1);
  run.restart();
  expect(run.nextTry(1)).toMatchObject({ index: 2, exhausted: false });
  run.failTry(1);
  run.restart();
  expect(run.nextTry(1)).toMatchObject({ index: 2, exhausted: true });
  const { details } = errorOf("PULSE_INCOMPATIBLE", () => run.nextTry(1, 3));
  expect(details).toMatchObject({ expected: 2, found: 3, next: "same-definition" });
});

test("STR-49 STR-21 a stream that nobody knows, another generation, a completed, a failed and a void source are refused", () => {
  const run = new StreamRun();
  run.append("one");
  const { confirmed } = run.live;
  const value = readyValue("log", "two");
  const unknown = { sourceId: idOf("f"), generation: 1 };
  expect(errorOf("PULSE_USAGE", () => appendMessage(confirmed, { ...unknown, value })).details.rule).toBe("STR-49");
  const later = { sourceId: source, generation: 2 };
  const ack = { group: "/left", sequence: 1, stop: false };
  expect(errorOf("PULSE_USAGE", () => appendMessage(confirmed, { ...later, value })).details.rule).toBe("STR-21");
  expect(errorOf("PULSE_USAGE", () => commitMessage(confirmed, { ...later, ...ack })).details.rule).toBe("STR-21");
  const beyond = { sourceId: source, generation: 1, group: "/left", sequence: 2, stop: false };
  expect(errorOf("PULSE_USAGE", () => commitMessage(confirmed, beyond)).details.rule).toBe("STR-49");
  run.save(failAttempt(run.live.confirmed, { attempt: writer }));
  // A business refusal is an answer (STR-43); nothing moves.
  expect(run.commit(ack)).toEqual({ refused: "failed" });
  expect(run.append("late")).toEqual({ refused: "failed" });
});

test("STR-25 STR-34 STR-50 the end of a stream is saved with its node: failed with the root attempt, completed with the commit, and never moves again", () => {
  const failed = new StreamRun();
  failed.append("one");
  failed.save(failAttempt(failed.live.confirmed, { attempt: writer }));
  expect([...failed.record.streams.values()].map(({ end }) => end)).toEqual(["failed", "failed", "failed"]);
  expect(failAttempt(failed.live.confirmed, { attempt: writer }).changes).toEqual([]);
  const completed = new StreamRun();
  completed.append("one");
  const output = { name: "log", codec: "string", codecVersion: "1", state: "stream", sourceId: source } as const;
  const node = { scope: rootId, nodeId: "write", attempt: writer, reason: "completed", outputs: [output] } as const;
  completed.save(commitNode(completed.live.confirmed, { ...node, rootNodes: 2, stops: [] }));
  expect([...completed.record.streams.values()].map(({ end }) => end)).toEqual(["completed", "completed", "completed"]);
  // The rest can be acknowledged still, also after a restart: nothing of a completed source is raised (STR-23).
  completed.restart();
  completed.generation = 1;
  for (const group of groups) completed.commit({ group, sequence: 1, stop: false });
  expect(completed.record.messages.size).toBe(0);
});

test("REC-14 REC-13 STR-52 acknowledgement, try, state and values of a message are one decision, and a key is contributed once", () => {
  const run = new StreamRun();
  run.append("one");
  run.append("two");
  const handled = { scope: rootId, nodeId: "handle", parent: handler, index: 1, limit: 1, sends: [] };
  const values = [readyValue("total", "1")];
  run.commit({ group: "/handle", sequence: 1, stop: false, handled: { ...handled, values } });
  expect([...run.record.managed.values()]).toMatchObject([{ values: [{ name: "total" }] }]);
  expect(run.pendingOf("/handle")).toEqual([2]);
  const twice = { sourceId: source, generation: 1, group: "/handle", sequence: 2, stop: false };
  const { details } = errorOf("PULSE_USAGE", () =>
    commitMessage(run.live.confirmed, { ...twice, handled: { ...handled, values } }),
  );
  expect(details.rule).toBe("STR-52");
  expect(run.pendingOf("/handle")).toEqual([2]);
});
