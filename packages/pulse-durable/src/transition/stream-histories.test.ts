import { expect, test } from "vitest";
import { entriesOf } from "../record/fold.ts";
import { packEntry } from "../record/packed-entry.ts";
import { errorOf } from "../testing/error-of.ts";
import { seeded, seedOf } from "../testing/random.ts";
import { idOf, readyValue, rootId } from "../testing/sample-record.ts";
import { ModelledRun } from "../testing/modelled-run.ts";
import { copyGroup, groups, handler, source, StreamRun, writer } from "../testing/stream-run.ts";
import { appendMessage } from "./append-message.ts";
import { commitMessage } from "./commit-message.ts";
import { failAttempt } from "./fail-attempt.ts";

const seed = seedOf(process.env, Math.floor(Math.random() * 1_000_000));

test(`REC-14 REC-20 REC-21 REC-22 REC-25 REC-29 REC-31 STR-7 STR-21 STR-22 STR-23 STR-24 STR-36 random histories of streams keep each account as a model does, and no check refuses them (PULSE_SEED=${seed})`, () => {
  let copied = 0;
  for (let history = 0; history < 60; history += 1) {
    const random = seeded(seed + history);
    const modelled = new ModelledRun();
    for (let step = 0; step < 80; step += 1) {
      modelled.step(random);
      modelled.agrees();
    }
    modelled.end(random);
    copied += modelled.copied;
  }
  // The histories were no empty ones: messages were handled, and handlers sent some.
  expect(copied).toBeGreaterThan(0);
});

test("STR-29 REC-22 a record has as many entries and bytes after 10,000 handled messages as after 100", () => {
  const sizes = [100, 10_000].map((messages) => {
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
  expect(groups.map((name) => failed.groupOf(name).end)).toEqual(["failed", "failed", "failed"]);
  expect(failed.groupOf(copyGroup).end).toBe("open");
  expect(failAttempt(failed.live.confirmed, { attempt: writer }).changes).toEqual([]);
  const completed = new StreamRun();
  completed.append("one");
  completed.commitWriter();
  expect(groups.map((name) => completed.groupOf(name).end)).toEqual(["completed", "completed", "completed"]);
  // The rest can be acknowledged still, also after a restart: nothing of a completed source is raised (STR-23).
  completed.restart();
  expect(completed.groupOf("/left").generation).toBe(1);
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
