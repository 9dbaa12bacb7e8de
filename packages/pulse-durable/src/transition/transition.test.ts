import { expect, test } from "vitest";
import { attemptKey, headerKey, nodeKey, scopeKey } from "../record/entry-key.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RecordChanges } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { LiveRecord } from "../record/live-record.ts";
import { errorOf } from "../testing/error-of.ts";
import { digestOf, idOf, readyValue, rootId } from "../testing/sample-record.ts";
import { commitNode } from "./commit-node.ts";
import { countResume } from "./count-resume.ts";
import { failAttempt } from "./fail-attempt.ts";
import { openAttempt } from "./open-attempt.ts";
import type { OpenAttempt, OpenedAttempt } from "./open-attempt.ts";
import { openChild } from "./open-child.ts";
import { startRun } from "./start-run.ts";

/** A run of tests: opens attempts, and confirms each decision in a save of its own. */
class TestRun {
  live: LiveRecord;

  constructor(first: RecordChanges = started()) {
    const builder = recordBuilder("run");
    for (const change of first) builder.apply(change);
    this.live = liveRecord(builder.view());
  }

  open(letter: string, nodeId: string, fields: Partial<OpenAttempt> = {}): OpenedAttempt {
    const command = { ...place(nodeId, fields), newId: idOf(letter) };
    const { result } = openAttempt(this.live.confirmed, command);
    if (result.state === "new") this.live.pend(result.id, result.entry);
    return result;
  }

  save(changes: RecordChanges): RecordChanges {
    const draft = this.live.draft();
    draft.add(changes);
    const saved = draft.changes();
    draft.confirm();
    return saved;
  }

  fail(attempt: string): RecordChanges {
    return this.save(failAttempt(this.live.confirmed, { attempt }).changes);
  }

  openChild(attempt: string): RecordChanges {
    return this.save(openChild(this.live.confirmed, { attempt, ...child }).changes);
  }

  commit(attempt: string, nodeId: string, scope = rootId): RecordChanges {
    return this.save(commitNode(this.live.confirmed, complete(attempt, nodeId, scope)).changes);
  }

  /** What another process finds: all that was saved, nothing that was pending. */
  restart(): void {
    const builder = recordBuilder("run");
    for (const change of entriesOf(this.live.confirmed.record)) builder.apply(structuredClone(change));
    this.live = liveRecord(builder.view());
  }
}

function started(rootNodes = 2): RecordChanges {
  const [definition, inputs] = [digestOf("definition"), digestOf("inputs")];
  return startRun({ runId: "run", version: "1", definition, inputs, rootScope: rootId, graph: "order", rootNodes });
}

const child = { graph: "scoring", path: "score", inputs: digestOf("child"), bindings: true };
const place = (nodeId: string, fields: Partial<OpenAttempt> = {}): Omit<OpenAttempt, "newId"> => ({
  scope: rootId,
  nodeId,
  path: nodeId,
  parent: rootId,
  boundary: "",
  limit: 1,
  ...fields,
});
const retry = (parent: string, limit = 2, boundary = "0"): Partial<OpenAttempt> => ({ parent, boundary, limit });
const complete = (attempt: string, nodeId: string, scope = rootId, rootNodes = 2) => ({
  scope,
  nodeId,
  attempt,
  reason: "completed" as const,
  outputs: [readyValue("page", "text")],
  rootNodes,
});
const keysOf = (changes: RecordChanges): readonly string[] => changes.map(({ key }) => key);
const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(idOf) as [string, string, string, string, string];

test("REC-2 a run starts at revision 1 with its root scope, whose inputs are the record's", () => {
  const { record } = new TestRun().live.confirmed;
  expect(record.header).toMatchObject({ format: 2, revision: 1, status: "running", resumes: 0, rootScope: rootId });
  expect(record.scopes.get(rootId)).toStrictEqual({
    graph: "order",
    path: "",
    inputs: record.header.inputs,
    bindings: false,
  });
  expect(new TestRun(started(0)).live.confirmed.record.header.status).toBe("completed");
});

test("CKPT-19 REC-1 an active attempt is recognised, in the run and after a restart, and the given id goes unused", () => {
  const run = new TestRun();
  expect(run.open("a", "fetch").state).toBe("new");
  run.open("b", "fetch", retry(a));
  run.fail(b);
  run.open("c", "fetch", retry(a));
  expect(run.open("d", "fetch", retry(a))).toMatchObject({ id: c, state: "recognised", entry: { index: 2 } });
  run.save(openChild(run.live.confirmed, { attempt: c, ...child }).changes);
  run.restart();
  expect(run.open("d", "fetch")).toMatchObject({ id: a, state: "recognised" });
  expect(run.open("d", "fetch", retry(a))).toMatchObject({ id: c, state: "recognised", entry: { index: 2 } });
});

test("CKPT-19 DUR-10 an attempt that nothing depends on is lost by a crash with its id, and costs no budget", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.fail(b);
  expect(run.open("c", "fetch", retry(a)).entry.index).toBe(2);
  run.restart();
  expect(run.open("d", "fetch", retry(a))).toMatchObject({ id: d, state: "new", entry: { index: 2 } });
});

test("D6 CKPT-32 a boundary whose last try has failed is exhausted, and stays so after a restart", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  for (const letter of ["b", "c"]) {
    run.open(letter, "fetch", retry(a));
    run.fail(idOf(letter));
    run.restart();
  }
  expect(run.open("d", "fetch", retry(a))).toMatchObject({ id: c, state: "exhausted", entry: { index: 2, limit: 2 } });
});

test("CKPT-21 a finally failed root attempt decides the run in the same save, and gives no fresh one", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  const decision = failAttempt(run.live.confirmed, { attempt: a, failure: "no answer" });
  expect(decision.result.runFailed).toBe(true);
  expect(keysOf(run.save(decision.changes))).toStrictEqual([headerKey, attemptKey(a)]);
  expect(run.live.confirmed.record.header).toMatchObject({ status: "failed", failure: "no answer", revision: 2 });
  expect(run.open("b", "fetch")).toMatchObject({ id: a, state: "exhausted" });
});

test("DUR-20 the failure of an unsaved try is one save, with its unsaved root active", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.open("c", "fetch", retry(b, 3, "1"));
  expect(keysOf(run.fail(c))).toStrictEqual([a, b, c].map(attemptKey));
  const { attempts } = run.live.confirmed.record;
  expect([a, b, c].map((id) => attempts.get(id)?.state)).toStrictEqual(["active", "active", "failed"]);
  run.open("d", "fetch", retry(b, 3, "1"));
  expect(keysOf(run.fail(d))).toStrictEqual([attemptKey(d)]);
});

test("DUR-20 a mount's attempts are saved with its child scope", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.open("b", "score", retry(a));
  expect(keysOf(run.openChild(b))).toStrictEqual([attemptKey(a), attemptKey(b), scopeKey(b)]);
});

test("CKPT-20 attempts of other boundaries, nodes and parents have budgets of their own", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.fail(b);
  expect(run.open("c", "fetch", retry(a, 2, "00")).entry.index).toBe(1);
  run.open("d", "other");
  expect(run.open("e", "other", retry(d)).entry.index).toBe(1);
});

test("CKPT-20 DUR-4 a retry with another limit than its recorded attempts is incompatible", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.fail(b);
  const error = errorOf("PULSE_INCOMPATIBLE", () => run.open("c", "fetch", retry(a, 3)));
  expect(error.details).toMatchObject({ what: "definition", expected: 2, found: 3, path: "fetch", scope: rootId });
});

test("REC-5 REC-6 an attempt that does not fit its parent is refused", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  const wrong: readonly Partial<OpenAttempt>[] = [
    { parent: a },
    { limit: 2 },
    { scope: e },
    retry(e),
    retry(a, 0),
    { ...retry(a), nodeId: "other" },
    { nodeId: "other", newId: "A".repeat(32) },
    { nodeId: "other", newId: a },
    { nodeId: "other", newId: rootId },
  ];
  for (const fields of wrong) {
    const command = { ...place("fetch", fields), newId: fields.newId ?? b };
    expect(errorOf("PULSE_USAGE", () => openAttempt(run.live.confirmed, command)).details.rule).toMatch(/^REC-/);
  }
});

test("CKPT-18 the same path under another parent attempt is another scope", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.open("b", "score", retry(a));
  run.openChild(b);
  run.open("d", "weigh", { scope: b, parent: b });
  run.commit(d, "weigh", b);
  run.fail(b);
  run.open("c", "score", retry(a));
  const { result } = openChild(run.live.confirmed, { attempt: c, ...child });
  expect(result).toStrictEqual({ scope: c, created: true, failed: false, nodes: [] });
});

test("CKPT-22 under a failed try nothing is used and nothing more is confirmed, and all of it stays in the record", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.open("b", "score", retry(a));
  run.openChild(b);
  run.open("c", "weigh", { scope: b, parent: b });
  run.open("d", "sum", { scope: b, parent: b });
  run.commit(c, "weigh", b);
  run.fail(b);
  const { confirmed } = run.live;
  const refused = [
    () => commitNode(confirmed, complete(d, "sum", b)),
    () => failAttempt(confirmed, { attempt: d }),
    () => failAttempt(confirmed, { attempt: b }),
    () => openChild(confirmed, { attempt: b, ...child }),
    () => run.open("e", "sum", { scope: b, parent: b }),
  ];
  for (const action of refused) {
    const error = errorOf("PULSE_USAGE", action);
    expect([error.details.rule, error.message]).toStrictEqual(["REC-4", expect.stringContaining(`is failed`)]);
  }
  expect(confirmed.record.nodes.size).toBe(1);
});

test("CKPT-23 a scope is recognised with what it has confirmed, and no save is needed", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.openChild(a);
  run.open("b", "weigh", { scope: a, parent: a });
  run.commit(b, "weigh", a);
  run.restart();
  const { changes, result } = openChild(run.live.confirmed, { attempt: a, ...child });
  expect(changes).toStrictEqual([]);
  expect(result).toMatchObject({ created: false, failed: false, nodes: [{ nodeId: "weigh", attempt: b }] });
});

test("CKPT-23 REC-3 another graph, path, fingerprint or kind of fingerprint is incompatible by scope, path and key", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.openChild(a);
  const keys = ["scale", "text"];
  const others = { graph: "other", path: "other", inputs: digestOf("other"), bindings: false };
  for (const [field, value] of Object.entries(others)) {
    const command = { attempt: a, ...child, keys, [field]: value };
    const error = errorOf("PULSE_INCOMPATIBLE", () => openChild(run.live.confirmed, command));
    expect(error.details).toStrictEqual({
      runId: "run",
      next: "same-definition",
      what: "scope",
      expected: child[field as keyof typeof child],
      found: value,
      scope: a,
      path: field === "path" ? "other" : "score",
      key: "scale, text",
    });
    expect(error.message).toContain(field);
  }
  expect(run.live.confirmed.record.scopes.size).toBe(2);
});

test("CKPT-13 a scope with a confirmed final failure says so and gives no results", () => {
  const run = new TestRun();
  run.open("a", "score");
  run.open("b", "score", retry(a));
  run.openChild(b);
  run.open("c", "weigh", { scope: b, parent: b });
  run.open("d", "sum", { scope: b, parent: b });
  run.commit(c, "weigh", b);
  expect(failAttempt(run.live.confirmed, { attempt: d }).result.runFailed).toBe(false);
  run.fail(d);
  run.restart();
  const { result } = openChild(run.live.confirmed, { attempt: b, ...child });
  expect(result).toStrictEqual({ scope: b, created: false, failed: true, nodes: [] });
  expect(run.live.confirmed.record.header.status).toBe("running");
});

test("REC-4 D3 a node and its root attempt are confirmed in one save, the last of the root scope with the run's status", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  expect(keysOf(run.commit(a, "fetch"))).toStrictEqual([attemptKey(a), nodeKey(rootId, "fetch")]);
  expect(run.live.confirmed.record.header.status).toBe("running");
  run.open("b", "report");
  const decision = commitNode(run.live.confirmed, complete(b, "report"));
  expect(decision.result.runCompleted).toBe(true);
  expect(keysOf(run.save(decision.changes))).toStrictEqual([headerKey, attemptKey(b), nodeKey(rootId, "report")]);
  expect(run.live.confirmed.record.header.status).toBe("completed");
});

test("DUR-19 changes are decided on those before them in the same save", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "report");
  const draft = run.live.draft();
  draft.add(commitNode(draft.view, complete(a, "fetch")).changes);
  errorOf("PULSE_USAGE", () => failAttempt(draft.view, { attempt: a }));
  const last = commitNode(draft.view, complete(b, "report"));
  expect(last.result.runCompleted).toBe(true);
});

test("REC-7 what is no active root attempt of the node, or was confirmed, cannot be confirmed", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.open("c", "report");
  const commands = [complete(e, "fetch"), complete(b, "fetch"), complete(a, "report"), complete(a, "fetch", e)];
  for (const command of commands) errorOf("PULSE_USAGE", () => commitNode(run.live.confirmed, command));
  run.commit(a, "fetch");
  const twice = errorOf("PULSE_USAGE", () => commitNode(run.live.confirmed, complete(a, "fetch")));
  expect(twice.details.rule).toBe("REC-7");
  const again = errorOf("PULSE_USAGE", () => run.open("d", "fetch"));
  expect(again.details.rule).toBe("CKPT-25");
});

test("REC-4 a retry attempt whose try succeeded stays active under its confirmed root", () => {
  const run = new TestRun();
  run.open("a", "fetch");
  run.open("b", "fetch", retry(a));
  run.fail(b);
  run.open("c", "fetch", retry(a));
  run.openChild(c);
  run.commit(a, "fetch");
  expect(run.live.confirmed.record.attempts.get(c)?.state).toBe("active");
});

test("DUR-28 DUR-11 a resume is counted, and refused past the limit", () => {
  const run = new TestRun();
  for (const resumes of [1, 2]) {
    expect(run.save(countResume(run.live.confirmed, { maxResumes: 2 }).changes)).toMatchObject([
      { key: headerKey, entry: { resumes } },
    ]);
  }
  const error = errorOf("PULSE_RESUME_LIMIT", () => countResume(run.live.confirmed, { maxResumes: 2 }));
  expect(error.details).toStrictEqual({ runId: "run", next: "raise-max-resumes", resumes: 2, maxResumes: 2 });
  expect(countResume(run.live.confirmed, {}).result.resumes).toBe(3);
});
