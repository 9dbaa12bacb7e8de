import { expect, test } from "vitest";
import { entriesOf } from "../record/fold.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { sampleRecord } from "../testing/sample-record.ts";
import { gate, recordAt, saveAfter, toldAdapter } from "../testing/told-adapter.ts";
import type { SaveResult } from "./adapter.ts";
import { defineStore } from "./define-store.ts";

test("STORE-2 calls of a session go to the medium one at a time, in the order in which they were made", async () => {
  const [loading, saving] = [gate(), gate<SaveResult>()];
  const adapter = toldAdapter({
    load: async () => {
      await loading.opened;
      return recordAt(1);
    },
    save: async ({ revision }) => (revision === 1 ? await saving.opened : "saved"),
  });
  const session = await defineStore(adapter).acquire("run");
  const calls = [session.load(), saveAfter(session, 0), saveAfter(session, 1)];
  const closing = session.close();
  await Promise.resolve();
  expect(adapter.asked).toEqual(["own run", "load"]);
  loading.open();
  await calls[0];
  expect(adapter.asked).toEqual(["own run", "load", "save 1"]);
  saving.open("saved");
  await Promise.all([...calls, closing]);
  expect(adapter.asked).toEqual(["own run", "load", "save 1", "save 2", "release clean"]);
});

test("STORE-2 after close every call is an error, and closing again releases nothing again", async () => {
  const adapter = toldAdapter({ content: async () => new Uint8Array() });
  const session = await defineStore(adapter).acquire("run");
  await Promise.all([session.close(), session.close()]);
  await session.close();
  const calls = [session.load(), saveAfter(session, 0), session.content?.("0".repeat(64))];
  for (const call of calls) {
    const { details, message } = await rejectionOf("PULSE_USAGE", Promise.resolve(call));
    expect(details).toEqual({ rule: "STORE-2", runId: "run", next: "resume" });
    expect(message).toContain("acquire the run again");
  }
  expect(adapter.asked).toEqual(["own run", "release clean"]);
});

test("STORE-2 a release that fails is told by every close, in words", async () => {
  const adapter = toldAdapter({
    release: async () => {
      throw new Error("cable cut");
    },
  });
  const session = await defineStore(adapter).acquire("run");
  for (let times = 0; times < 2; times += 1) {
    const { message } = await rejectionOf("PULSE_STORE", session.close());
    expect(message).toContain('closing run "run": the medium failed');
  }
});

test("STORE-3 what cannot be a next revision of this run never reaches the medium", async () => {
  const adapter = toldAdapter();
  const session = await defineStore(adapter).acquire("run");
  const misfits = [
    [recordAt(1), 1],
    [recordAt(3), 1],
    [recordAt(2), 0],
    [recordAt(0), -1],
    [recordAt(Number.MAX_SAFE_INTEGER + 1), Number.MAX_SAFE_INTEGER],
    [sampleRecord({ header: { runId: "other" } }), 0],
  ] as const;
  for (const [next, expected] of misfits) {
    await rejectionOf("PULSE_CONFLICT", session.save(next, expected, entriesOf(next)));
  }
  const headless = await rejectionOf("PULSE_USAGE", session.save(recordAt(1), 0, []));
  expect(headless.details.rule).toBe("REC-27");
  expect(adapter.asked).toEqual(["own run"]);
  // None of them was a save in doubt.
  await saveAfter(session, 0);
});

test("STORE-3 a conflict that the medium finds names both revisions, and the session goes on", async () => {
  const results: SaveResult[] = [{ conflict: 6 }, "saved"];
  const session = await defineStore(toldAdapter({ save: async () => results.shift() ?? "saved" })).acquire("run");
  const { details } = await rejectionOf("PULSE_CONFLICT", saveAfter(session, 4));
  expect(details).toEqual({ what: "revision", runId: "run", next: "resume", expected: 4, found: 6 });
  await saveAfter(session, 6);
});

test("STORE-3 what was never saved is not found", async () => {
  const session = await defineStore(toldAdapter()).acquire("run");
  expect((await rejectionOf("PULSE_NOT_FOUND", session.load())).details.next).toBe("start");
});

test("STORE-4 after a save that failed nothing more is written, and the run is given back as in doubt", async () => {
  const adapter = toldAdapter({
    save: async ({ revision }) => {
      if (revision === 2) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      return "saved";
    },
    load: async () => recordAt(1),
  });
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  const failed = await rejectionOf("PULSE_STORE", saveAfter(session, 1));
  const queued = await rejectionOf("PULSE_STORE", saveAfter(session, 2));
  expect(queued).toBe(failed);
  expect(await session.load()).toStrictEqual(recordAt(1));
  await session.close();
  expect(adapter.asked).toEqual(["own run", "save 1", "save 2", "load", "release in doubt"]);
});

test("STORE-4 saves that wait behind one that fails are not written either", async () => {
  const saving = gate<SaveResult>();
  const adapter = toldAdapter({ save: async () => await saving.opened });
  const session = await defineStore(adapter).acquire("run");
  const saves = Promise.allSettled([saveAfter(session, 0), saveAfter(session, 1), saveAfter(session, 2)]);
  saving.fail(new Error("cable cut"));
  expect((await saves).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(adapter.asked).toEqual(["own run", "save 1"]);
});

test("STORE-6 a save that was fenced says so, and nothing more is written", async () => {
  const adapter = toldAdapter({ save: async () => "fenced" });
  const session = await defineStore(adapter).acquire("run");
  const { details } = await rejectionOf("PULSE_OWNERSHIP_LOST", saveAfter(session, 0));
  expect(details).toMatchObject({ runId: "run", next: "resume" });
  await rejectionOf("PULSE_OWNERSHIP_LOST", saveAfter(session, 0));
  expect(adapter.saves).toHaveLength(1);
});

test("STORE-4 aborting a save ends the waiting alone: the next call still waits for it", async () => {
  const [begun, saving] = [gate(), gate<SaveResult>()];
  const adapter = toldAdapter({
    async save() {
      begun.open();
      return await saving.opened;
    },
  });
  const session = await defineStore(adapter).acquire("run");
  const abort = new AbortController();
  const saved = saveAfter(session, 0, { signal: abort.signal });
  await begun.opened;
  const reason = new Error("enough");
  abort.abort(reason);
  await expect(saved).rejects.toBe(reason);
  const closing = session.close();
  await Promise.resolve();
  expect(adapter.asked).toEqual(["own run", "save 1"]);
  saving.open("saved");
  await closing;
  expect(adapter.asked).toEqual(["own run", "save 1", "release clean"]);
});

test("STORE-4 a save that is aborted while it waits for its turn is never written", async () => {
  const saving = gate<SaveResult>();
  const adapter = toldAdapter({ save: async () => await saving.opened });
  const session = await defineStore(adapter).acquire("run");
  const first = saveAfter(session, 0);
  const abort = new AbortController();
  const second = saveAfter(session, 1, { signal: abort.signal });
  abort.abort("enough");
  await expect(second).rejects.toBe("enough");
  saving.open("saved");
  await first;
  await session.close();
  expect(adapter.asked).toEqual(["own run", "save 1", "release clean"]);
});

test("STORE-4 the medium's own answer to an abort stays the abort", async () => {
  const abort = new AbortController();
  const adapter = toldAdapter({
    save: async (_, { signal }) => {
      abort.abort();
      signal?.throwIfAborted();
      return "saved";
    },
  });
  const session = await defineStore(adapter).acquire("run");
  const error = await saveAfter(session, 0, { signal: abort.signal }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: "AbortError" });
});

test("STORE-10 a content is checked against its digest, and read beside a save", async () => {
  const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  const kept = new Map([
    [digest, Buffer.from("hello")],
    ["0".repeat(64), Buffer.from("hello")],
  ]);
  const saving = gate<SaveResult>();
  const adapter = toldAdapter({ save: async () => await saving.opened, content: async (named) => kept.get(named) });
  const session = await defineStore(adapter).acquire("run");
  const content = (named: string): Promise<Uint8Array> =>
    session.content?.(named) ?? Promise.reject(new Error("the session has no content"));
  const saved = saveAfter(session, 0);
  expect(Buffer.from(await content(digest)).toString()).toBe("hello");
  saving.open("saved");
  await saved;
  const damaged = await rejectionOf("PULSE_CORRUPT", content("0".repeat(64)));
  expect(damaged.message).toContain("which is not its name");
  expect((await rejectionOf("PULSE_CORRUPT", content("1".repeat(64)))).message).toContain("it is missing");
  for (const name of ["hello", digest.toUpperCase(), "", 7 as unknown as string]) {
    expect((await rejectionOf("PULSE_USAGE", content(name))).details.rule).toBe("STORE-10");
  }
  await expect(session.content?.(digest, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
});

test("STORE-10 a store that keeps no contents apart has no content", async () => {
  const session = await defineStore(toldAdapter()).acquire("run");
  expect(session.content).toBe(undefined);
});
