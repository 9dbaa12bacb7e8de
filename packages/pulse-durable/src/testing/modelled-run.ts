import { expect } from "vitest";
import { failAttempt } from "../transition/fail-attempt.ts";
import type { Random } from "./random.ts";
import { readyValue } from "./sample-record.ts";
import { copyGroup, groups, handler, StreamRun, writer } from "./stream-run.ts";

/** One group, as sets know it. */
interface ModelGroup {
  readonly pending: Set<number>;
  stopped: boolean;
}

/** A run and what a few sets say that its record must hold. */
export class ModelledRun {
  readonly run = new StreamRun();
  readonly groups = new Map<string, ModelGroup>(
    [...groups, copyGroup].map((name) => [name, { pending: new Set(), stopped: false }]),
  );
  last = 0;
  copied = 0;
  state: string | undefined;
  contributed = false;

  group(name: string): ModelGroup {
    return this.groups.get(name) as ModelGroup;
  }

  append(): void {
    const readers = groups.map((name) => this.group(name)).filter(({ stopped }) => !stopped);
    const result = this.run.append(String(this.last + 1));
    if (readers.length === 0) return expectSame(result, { refused: "unread" });
    this.last += 1;
    expectSame(result, { sequence: this.last });
    for (const { pending } of readers) pending.add(this.last);
  }

  acknowledge(name: string, sequence: number): void {
    const { run } = this;
    if (name === copyGroup) run.acknowledgeCopy(sequence);
    else run.commit({ group: name, sequence, stop: false });
    this.group(name).pending.delete(sequence);
  }

  /** With a failed try before it, values and sent messages, or without: all of it is one save (REC-14). */
  handle(random: Random, sequence: number): void {
    const { run } = this;
    const { index, exhausted } = run.nextTry(sequence);
    expectSame(exhausted, false);
    if (index === 1 && random.below(3) === 0) {
      run.failTry(sequence);
      expectFields(run.nextTry(sequence), { index: 2, exhausted: false });
    }
    const texts = Array.from({ length: random.below(3) }, (_, at) => `${sequence} ${at}`);
    const contributes = !this.contributed && random.below(4) === 0;
    const state = `after ${sequence}`;
    const values = contributes ? [readyValue("total", "1")] : [];
    const { revision } = run.record.header;
    const result = run.handle(sequence, state, { values, sends: texts.length === 0 ? [] : run.copies(texts) });
    expectSame(run.record.header.revision, revision + 1);
    const { pending, stopped } = this.group(copyGroup);
    const sent = stopped ? undefined : { first: this.copied + 1 };
    expectSame(result, { sends: texts.length === 0 ? [] : [sent] });
    for (const _ of stopped ? [] : texts) pending.add((this.copied += 1));
    this.contributed ||= contributes;
    this.state = state;
    this.group("/handle").pending.delete(sequence);
  }

  stop(name: string): void {
    if (name === copyGroup) this.run.stopCopy();
    else this.run.commit({ group: name, stop: true });
    this.stopped(name);
  }

  stopped(name: string): void {
    this.group(name).stopped = true;
    this.group(name).pending.clear();
  }

  step(random: Random): void {
    const name = random.pick([...groups, copyGroup]);
    const [...pending] = this.group(name).pending;
    const dice = random.below(100);
    if (dice < 40) this.append();
    else if (dice < 88) {
      if (pending.length === 0) return;
      const sequence = random.pick(pending);
      if (name === "/handle" && random.below(2) === 0) this.handle(random, sequence);
      else this.acknowledge(name, sequence);
      // Twice is harmless.
      this.acknowledge(name, sequence);
    } else if (dice < 93) this.run.restart();
    else if (dice < 95) this.stop(name);
  }

  /** How the nodes and with them the streams end, and what comes after. */
  end(random: Random): void {
    const { run } = this;
    const how = random.below(5);
    if (how < 2) {
      run.save(failAttempt(run.live.confirmed, { attempt: how === 0 ? writer : handler }));
      this.ends(how === 0 ? "failed" : "open", how === 1 ? "failed" : "open");
    } else if (how < 4) {
      for (const isWriter of how === 2 ? [true, false] : [false, true]) {
        if (isWriter) run.commitWriter();
        else {
          run.commitHandler();
          this.stopped("/handle");
        }
        this.agrees();
        // What has ended keeps its generation, and its rest is there after a restart as before (STR-23).
        if (run.record.header.status === "running") run.restart();
      }
      this.ends("completed", "completed");
      for (const [name, { pending }] of this.groups) for (const sequence of pending) this.acknowledge(name, sequence);
      expectSame(run.record.messages.size, 0);
    } else this.ends("open", "open");
    this.agrees();
  }

  ends(log: string, copy: string): void {
    expectSame(
      [...groups, copyGroup].map((name) => this.run.groupOf(name).end),
      [log, log, log, copy],
    );
  }

  /** The record says what the sets say, and a resume would take it. */
  agrees(): void {
    const { run } = this;
    const wanted = { log: new Set<number>(), copy: new Set<number>() };
    for (const [name, { pending, stopped }] of this.groups) {
      const isCopy = name === copyGroup;
      const open = [...pending].toSorted((one, other) => one - other);
      for (const sequence of open) wanted[isCopy ? "copy" : "log"].add(sequence);
      expectSame(run.pendingOf(name), open);
      const entry = run.groupOf(name);
      const lastSequence = isCopy ? this.copied : this.last;
      const generation = isCopy ? run.copyGeneration : run.generation;
      expectFields(entry, { lastSequence, stopped, generation });
      if (!stopped) expectSame(entry.ackedThrough, (open[0] ?? lastSequence + 1) - 1);
    }
    expectSame(run.record.messages.size, wanted.log.size + wanted.copy.size);
    const [managed] = run.record.managed.values();
    expectSame(managed?.state, this.state === undefined ? undefined : readyValue("", this.state));
    expectSame(managed?.values.length ?? 0, this.contributed ? 1 : 0);
    run.check();
  }
}

function expectSame(found: unknown, expected: unknown): void {
  expect(found).toEqual(expected);
}

function expectFields(found: object, expected: object): void {
  expect(found).toMatchObject(expected);
}
