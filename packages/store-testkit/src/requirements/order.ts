import { attemptKey, headerKey, nodeKey } from "@pulse-ts/durable";
import type { RecordChanges, RunRecord } from "@pulse-ts/durable";
import type { Bench } from "../bench.ts";
import { same } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { firstChanges, folded, headerOf, idOf, put, readyValue, rootId, sampleRun, saveStep } from "../sample-run.ts";

/** Saves take effect in their order, and each as a whole (REC-25, REC-31, DUR's D4 and D5). */
export const order: readonly Requirement[] = [
  {
    id: "REC-25.fold",
    rule: "REC-25",
    title: "the record read back equals the fold of its changes, after each of many saves",
    async check(bench) {
      const run = sampleRun("run");
      const store = await bench.open();
      let session = await bench.acquire(store, "run");
      for (let revision = 1; revision <= 40; revision += 1) {
        await saveStep(session, run, revision);
        await bench.loads(session, run.at(revision));
        if (revision % 7 > 0) continue;
        await session.close();
        session = await bench.acquire(store, "run");
        await bench.loads(session, run.at(revision));
      }
    },
  },
  {
    id: "REC-25.last-wins",
    rule: "REC-25",
    title: "of an entry that is put, deleted and put again the last change stands",
    check: (bench) =>
      savesInTurn(bench, [
        [...firstChanges("run"), attempt(1, "active"), attempt(2, "active")],
        [attempt(1, "failed")],
        [{ kind: "delete", key: attemptKey(idOf(1)) }],
        [attempt(1, "confirmed"), { kind: "delete", key: attemptKey(idOf(2)) }],
        [],
        [attempt(2, "failed")],
        [attempt(2, "active")],
      ]),
  },
  {
    id: "REC-31.delete",
    rule: "REC-31",
    title: "an entry that was deleted is gone for good; deleting one that is not there is harmless",
    check: (bench) =>
      savesInTurn(bench, [
        [...firstChanges("run"), attempt(1, "active"), attempt(2, "active"), node("a", "first")],
        [
          { kind: "delete", key: attemptKey(idOf(1)) },
          { kind: "delete", key: nodeKey(rootId, "a") },
        ],
        [{ kind: "delete", key: attemptKey(idOf(9)) }],
        [put(headerKey, headerOf("run", { revision: 4, status: "completed" }))],
        [node("b", "second")],
      ]),
  },
  {
    id: "REC-27.untouched",
    rule: "REC-27",
    title: "a save changes no entry that it does not name, be it a look-alike of one that it does",
    check: (bench) =>
      savesInTurn(bench, [
        [...firstChanges("run"), ...alike.flatMap((id) => [node(id, id), attemptOf(id)])],
        ...alike.map((id): RecordChanges => [node(id, `changed ${id}`)]),
        ...alike.slice(0, -1).map((id): RecordChanges => [{ kind: "delete", key: nodeKey(rootId, id) }]),
      ]),
  },
  {
    id: "REC-27.header",
    rule: "REC-27",
    title: "a header that is put is kept, field by field; a save without one changes its revision alone",
    check: (bench) =>
      savesInTurn(bench, [
        firstChanges("run", { failure: "kept", later: { a: 1 } }),
        [attempt(1, "active")],
        [put(headerKey, headerOf("run", { revision: 3, status: "failed", resumes: 2, version: "2" }))],
        [],
        [put(headerKey, headerOf("run", { revision: 5, outline: { a: "b" } })), attempt(1, "failed")],
      ]),
  },
  {
    id: "STORE-3.revision-kept",
    rule: "STORE-3",
    title: "the header that is loaded has the revision of the last save, though that save did not put it",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      for (let revision = 1; revision <= 3; revision += 1) {
        const session = await bench.acquire(store, "run");
        await saveStep(session, run, revision);
        same("the revision that was loaded", (await session.load()).header.revision, revision);
        await session.close();
      }
      const session = await bench.acquire(await bench.open(), "run");
      same("the revision that another store loads", (await session.load()).header.revision, 3);
    },
  },
  {
    id: "STORE-3.acknowledged",
    rule: "STORE-3",
    title: "a save that has resolved is there for everybody, also while its session is open",
    async check(bench) {
      const store = await bench.open();
      const other = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      for (let revision = 1; revision <= 5; revision += 1) {
        await saveStep(session, run, revision);
        if (other.catalog !== undefined) await bench.reads(other, run.at(revision));
      }
      await session.close();
      await bench.shut(store);
      await bench.loads(await bench.acquire(await bench.open(), "run"), run.at(5));
    },
  },
];

/** Saves the lists one after the other, and looks after each, in the session and through a new one. */
async function savesInTurn(bench: Bench, lists: readonly RecordChanges[]): Promise<void> {
  const store = await bench.open();
  let wanted: RunRecord | undefined;
  for (const [revision, changes] of lists.entries()) {
    const session = await bench.acquire(store, "run");
    if (wanted !== undefined) await bench.loads(session, wanted);
    wanted = folded("run", changes, wanted);
    await session.save(wanted, revision, changes);
    await bench.loads(session, wanted);
    await session.close();
  }
  if (wanted !== undefined) await bench.loads(await bench.acquire(await bench.open(), "run"), wanted);
}

const attempt = (number: number, state: "active" | "failed" | "confirmed") =>
  put(attemptKey(idOf(number)), { parent: rootId, nodeId: "a", boundary: "", index: 1, limit: 1, state });

const attemptOf = (id: string) =>
  put(attemptKey(id), { parent: rootId, nodeId: id, boundary: "", index: 1, limit: 1, state: "confirmed" });

const node = (id: string, text: string) =>
  put(nodeKey(rootId, id), {
    nodeId: id,
    attempt: idOf(1),
    reason: "completed",
    outputs: [readyValue(new Uint8Array(Buffer.from(text)))],
  });

/** Ids that a pattern, a fold of case, a trim or a prefix would confuse. */
const alike = ["a", "A", "a ", "a%", "a_", "ab", "a.b", "a/b", "\u00E9", "e\u0301", "*", "[a]"];
