import type { Session } from "@pulse-ts/durable";
import { refused, same } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { sampleRun, saveStep, saveSteps, sha256 } from "../sample-run.ts";

/** What a closed session does, and what closing waits for (STORE-2). */
export const closing: readonly Requirement[] = [
  {
    id: "STORE-2.closed",
    rule: "STORE-2",
    title: "load, save and content of a closed session are PULSE_USAGE errors and change nothing",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      await session.close();
      await allRefused(session, () => saveStep(session, run, 2));
      await bench.loads(await bench.acquire(store, "run"), run.at(1));
    },
  },
  {
    id: "STORE-2.close-again",
    rule: "STORE-2",
    title: "close may be called again, also at the same time",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      await Promise.all([session.close(), session.close()]);
      await session.close();
      const next = await bench.acquire(store, "run");
      await next.close();
    },
  },
  {
    id: "STORE-2.close-mine",
    rule: "STORE-2",
    title: "closing a session again takes the run from nobody who acquired it since",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const first = await bench.acquire(store, "run");
      await saveStep(first, run, 1);
      await first.close();
      const second = await bench.acquire(store, "run");
      await first.close();
      await refused("PULSE_BUSY", "acquiring a run after a former owner closed again", () => store.acquire("run"));
      await saveStep(second, run, 2);
      await bench.loads(second, run.at(2));
    },
  },
  {
    id: "STORE-2.close-waits",
    rule: "STORE-2",
    title: "close waits for the session's own save in flight, and the next owner finds it",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      for (let revision = 1; revision <= 5; revision += 1) {
        const session = await bench.acquire(store, "run");
        let saved = false;
        const saving = saveStep(session, run, revision).then(() => {
          saved = true;
        });
        await session.close();
        // What had settled has told so before the next turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
        same("whether the save had settled when close did", saved, true);
        await saving;
        const next = await bench.acquire(store, "run");
        await bench.loads(next, run.at(revision));
        await next.close();
      }
    },
  },
  {
    id: "STORE-2.store-close",
    rule: "STORE-2",
    title: "a store may be closed again, and its runs stay",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      await saveSteps(session, run, 0, 2);
      await session.close();
      await bench.shut(store);
      await store.close?.();
      await bench.loads(await bench.acquire(await bench.open(), "run"), run.at(2));
    },
  },
  {
    id: "STORE-6.former-owner",
    rule: "STORE-6",
    title: "a former owner that comes back cannot save, and the new owner's saves stand",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const stale = sampleRun("run", { bytesAt: () => Uint8Array.of(6) });
      const first = await bench.acquire(store, "run");
      await saveSteps(first, run, 0, 2);
      await first.close();
      const second = await bench.acquire(await bench.open(), "run");
      await allRefused(first, () => first.save(stale.at(3), 2, stale.changesTo(3)));
      await saveStep(second, run, 3);
      await allRefused(first, () => first.save(stale.at(4), 3, stale.changesTo(4)));
      await bench.loads(second, run.at(3));
      await saveStep(second, run, 4);
      await bench.loads(second, run.at(4));
    },
  },
];

/** Each call of a closed session is refused (STORE-2). */
async function allRefused(session: Session, save: () => Promise<void>): Promise<void> {
  const calls: Readonly<Record<string, (() => Promise<unknown>) | undefined>> = {
    save,
    load: () => session.load(),
    content: session.content && (() => session.content?.(sha256("any")) ?? Promise.resolve()),
  };
  for (const [name, call] of Object.entries(calls)) {
    if (call === undefined) continue;
    const error = await refused("PULSE_USAGE", `${name} of a closed session`, call);
    same(`details.rule of PULSE_USAGE, for ${name} of a closed session`, error.details.rule, "STORE-2");
  }
}
