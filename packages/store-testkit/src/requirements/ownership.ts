import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { refused, same, shown } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { sampleRun, saveStep, saveSteps } from "../sample-run.ts";

/** Who owns a run, and until when (STORE-1, STORE-2). */
export const ownership: readonly Requirement[] = [
  {
    id: "STORE-1.busy",
    rule: "STORE-1",
    title: "a run that is owned is busy, for the same store and for another one on the place",
    async check(bench) {
      const store = await bench.open();
      await bench.acquire(store, "run");
      const other = await bench.open();
      for (const [who, each] of [
        ["the same store", store],
        ["another store on the place", other],
      ] as const) {
        const error = await refused("PULSE_BUSY", `acquiring an owned run from ${who}`, () => each.acquire("run"));
        same("details.runId of PULSE_BUSY", error.details.runId, "run");
        same("details.next of PULSE_BUSY", error.details.next, "later");
      }
    },
  },
  {
    id: "STORE-1.busy-harmless",
    rule: "STORE-1",
    title: "an acquire that was refused takes nothing from the owner",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await refused("PULSE_BUSY", "acquiring an owned run", () => store.acquire("run"));
        await saveStep(session, run, attempt + 2);
      }
      await bench.loads(session, run.at(4));
    },
  },
  {
    id: "STORE-1.race",
    rule: "STORE-1",
    title: "of many that acquire one run at once exactly one gets it, the others find it busy",
    async check(bench) {
      const stores = [await bench.open(), await bench.open()];
      const attempts = Array.from({ length: 8 }, async (_, at) => {
        const store = stores[at % stores.length];
        if (store === undefined) throw new Error("no store");
        return await bench.acquire(store, "run");
      });
      const ends = await Promise.allSettled(attempts);
      for (const end of ends) {
        if (end.status === "rejected")
          await refused("PULSE_BUSY", "acquiring at once", () => Promise.reject(end.reason));
      }
      same("the number of owners", ends.filter(({ status }) => status === "fulfilled").length, 1);
    },
  },
  {
    id: "STORE-1.independent",
    rule: "STORE-1",
    title: "runs are independent: many at once keep what each saved",
    async check(bench) {
      const store = await bench.open();
      const runs = Array.from({ length: 20 }, (_, number) => sampleRun(`run ${number}`));
      await Promise.all(
        runs.map(async (run) => {
          const session = await bench.acquire(store, run.runId);
          await saveSteps(session, run, 0, 5);
          await session.close();
        }),
      );
      for (const run of runs) {
        const session = await bench.acquire(store, run.runId);
        await bench.loads(session, run.at(5));
      }
    },
  },
  {
    id: "STORE-1.run-ids",
    rule: "STORE-1",
    title: "every well-formed text that is not empty is the id of a run of its own; no other value is one",
    async check(bench) {
      const store = await bench.open();
      for (const runId of ["", "\uD800", undefined, null, 7]) {
        // What a caller without types may give.
        await refused("PULSE_INVALID", `acquiring ${JSON.stringify(runId)}`, () => store.acquire(runId as string));
      }
      const sessions: Session[] = [];
      for (const [at, runId] of oddRunIds.entries()) {
        const session = await bench.acquire(store, runId);
        sessions.push(session);
        await saveSteps(session, sampleRun(runId), 0, 1 + (at % 2));
      }
      const other = await bench.open();
      for (const [at, runId] of oddRunIds.entries()) {
        await refused("PULSE_BUSY", `acquiring ${shown(runId)} twice`, () => other.acquire(runId));
        await sessions[at]?.close();
        await bench.loads(await bench.acquire(other, runId), sampleRun(runId).at(1 + (at % 2)));
      }
    },
  },
  {
    id: "STORE-1.long-run-ids",
    rule: "STORE-1",
    title: "run ids of 10,000 characters that differ at their end alone are two runs, or refused before they are owned",
    async check(bench) {
      const store = await bench.open();
      // Nothing that repeats: an index that packs its keys must not be helped.
      const letters = Array.from({ length: 10_000 }, () =>
        bench.random.pick([..."abcdefghijklmnopqrstuvwxyzABC0123456789"]),
      );
      const runs = ["1", "2"].map((end) => sampleRun(`${letters.join("")}${end}`));
      for (const [at, run] of runs.entries()) {
        let session: Session;
        try {
          session = await bench.acquire(store, run.runId);
        } catch (error) {
          if (isPulseError(error, "PULSE_INVALID")) continue;
          throw error;
        }
        await saveSteps(session, run, 0, at + 1);
        await bench.loads(session, run.at(at + 1));
        await session.close();
        if (store.catalog !== undefined) await bench.reads(store, run.at(at + 1));
      }
    },
  },
  {
    id: "STORE-2.release",
    rule: "STORE-2",
    title: "a session owns its run until close; then the run is free, for another store too",
    async check(bench) {
      const run = sampleRun("run");
      const store = await bench.open();
      const other = await bench.open();
      for (let round = 0; round < 4; round += 1) {
        const session = await bench.acquire(round % 2 === 0 ? store : other, "run");
        if (round > 0) await bench.loads(session, run.at(round));
        await saveStep(session, run, round + 1);
        await session.close();
      }
    },
  },
  {
    id: "STORE-2.release-unsaved",
    rule: "STORE-2",
    title: "a run that was acquired and closed without a save is free, and still not there",
    async check(bench) {
      const store = await bench.open();
      for (let round = 0; round < 3; round += 1) {
        const session = await bench.acquire(store, "run");
        await refused("PULSE_NOT_FOUND", "loading a run that was never saved", () => session.load());
        await session.close();
      }
    },
  },
];

/** Ids that a file system, a database or a plain object would spoil. */
export const oddRunIds: readonly string[] = [
  "../../x",
  "a/b",
  "a\\b",
  ".",
  "..",
  "CON",
  "a\0b",
  "\0",
  "Run",
  "run",
  "run ",
  " run",
  "run.",
  "RUN%20",
  "100%",
  "it's; drop table runs; --",
  "x".repeat(10_000),
  "__proto__",
  "constructor",
  "\u00E9",
  "e\u0301",
  "😀",
  "line\nline",
  '*?:|<>"',
];
