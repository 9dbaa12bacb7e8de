import type { Session } from "@pulse-ts/durable";
import { isPulseError } from "@pulse-ts/core";
import type { Bench } from "../bench.ts";
import { errorOf, refused, same, shownError, unmet } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { revisionIn } from "../revision-in.ts";
import { sampleRun, saveStep, saveSteps } from "../sample-run.ts";

/** What an aborted signal ends, and what it leaves (STORE-1, STORE-4). */
export const aborts: readonly Requirement[] = [
  {
    id: "STORE-4.aborted-before",
    rule: "STORE-4",
    title: "a call whose signal is aborted already rejects with the signal's reason and does nothing",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const reason = new Error("aborted before the call");
      const signal = AbortSignal.abort(reason);
      same(
        "what acquire rejects with",
        await errorOf("the reason", "acquire", () => store.acquire("run", { signal })),
        reason,
      );
      const session = await bench.acquire(store, "run");
      const save = (): Promise<void> => session.save(run.at(1), 0, run.changesTo(1), { signal });
      same("what save rejects with", await errorOf("the reason", "save", save), reason);
      await refused("PULSE_NOT_FOUND", "loading a run whose only save was aborted before", () => session.load());
      await saveStep(session, run, 1);
      same("what load rejects with", await errorOf("the reason", "load", () => session.load({ signal })), reason);
      await bench.loads(session, run.at(1));
    },
  },
  {
    id: "STORE-4.aborted-save",
    rule: "STORE-4",
    title: "aborting a save ends the waiting at most: the record is the old or the new one, whole",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", { bytesAt: (revision) => new Uint8Array(40_000).fill(revision) });
      let revision = 0;
      for (let round = 0; round < 12; round += 1) {
        const session = await bench.acquire(store, "run");
        const abort = new AbortController();
        const { signal } = abort;
        const saving = session.save(run.at(revision + 1), revision, run.changesTo(revision + 1), { signal });
        const ended = saving.then(
          () => "saved",
          (error: unknown) => error,
        );
        const turns = round % 6;
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        const reason = new Error("aborted");
        abort.abort(reason);
        const end = await ended;
        if (end !== "saved") same("what an aborted save rejects with", end, reason);
        await session.close();
        revision = await oldOrNew(bench, await bench.acquire(store, "run"), run, revision, end === "saved");
      }
    },
  },
  {
    id: "STORE-1.aborted-acquire",
    rule: "STORE-1",
    title: "an acquire that is aborted on its way rejects with the reason or gives the session; it leaves the run free",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      for (let round = 0; round < 12; round += 1) {
        const abort = new AbortController();
        const reason = new Error("aborted");
        const acquiring = store.acquire("run", { signal: abort.signal });
        const ended = acquiring.catch((error: unknown) => error);
        const turns = round % 6;
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        abort.abort(reason);
        const end = await ended;
        // An aborted acquire that is still on its way somewhere may have the run for a moment, also after others had it.
        if (end === reason || isPulseError(end, "PULSE_BUSY")) {
          const session = await whenFree(bench, () => bench.acquire(store, "run"));
          await session.close();
        } else if (end instanceof Error) throw unmet(`an aborted acquire: ${shownError(end)}`, "the signal's reason");
        else await (end as Session).close();
      }
      const session = await whenFree(bench, () => bench.acquire(store, "run"));
      await saveSteps(session, run, 0, 1);
      await bench.loads(session, run.at(1));
    },
  },
];

/** Which of two records a session loads. Closes the session. @throws an Error when it is neither, or an old one that must be new */
async function oldOrNew(
  bench: Bench,
  session: Session,
  run: ReturnType<typeof sampleRun>,
  old: number,
  acknowledged: boolean,
): Promise<number> {
  const found = await revisionIn(session);
  if (found !== old && found !== old + 1) throw unmet(`revision ${found}`, `${old} or ${old + 1}`);
  if (acknowledged) same("the revision after a save that resolved", found, old + 1);
  if (found > 0) await bench.loads(session, run.at(found));
  await session.close();
  return found;
}

/** Acquires as soon as the run is free: an aborted acquire may need a moment to let it go. */
async function whenFree(bench: Bench, acquire: () => Promise<Session>): Promise<Session> {
  const begin = performance.now();
  while (performance.now() - begin < freeMsMax) {
    bench.signal.throwIfAborted();
    try {
      return await acquire();
    } catch (error) {
      if (!isPulseError(error, "PULSE_BUSY")) throw error;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw unmet(`a run that is still PULSE_BUSY ${freeMsMax} ms after its acquire was aborted`, "a free run");
}

/** Milliseconds after which a run counts as never let go. */
const freeMsMax = 3000;
