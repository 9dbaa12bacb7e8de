import type { Header, Store } from "@pulse-ts/durable";
import type { Bench } from "../bench.ts";
import { allPages, catalogOf } from "../catalog-of.ts";
import { refused, same, sameList, shown, unmet } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { firstDifference } from "../same-record.ts";
import { folded, firstChanges, sampleRun, saveStep, saveSteps } from "../sample-run.ts";
import { oddRunIds } from "./ownership.ts";

/** Runs are listed, counted, read and deleted without being owned (STORE-7). */
export const catalogue: readonly Requirement[] = [
  {
    id: "STORE-7.empty",
    rule: "STORE-7",
    title: "a place without runs lists none, counts none, and reads and deletes none",
    async check(bench) {
      const catalog = catalogOf(await bench.open());
      const { runs, next } = await catalog.list();
      same("the number of runs in a list", runs.length, 0);
      same("`next` of a list of none", next, undefined);
      same("the count", await catalog.count(), 0);
      await refused("PULSE_NOT_FOUND", "reading a run that is not there", () => catalog.read("run"));
      await catalog.delete("run");
    },
  },
  {
    id: "STORE-7.order",
    rule: "STORE-7",
    title: "runs are listed in ascending order of their ids, as `<` compares texts",
    async check(bench) {
      const store = await bench.open();
      const ids = ["b", "a", "B", "A", "10", "9", "a ", "a-", "aa", "a\u0000", "\u00E9", "z", "😀", "\uFB01", "_", "~"];
      await saveRuns(bench, store, ids);
      await lists(store, {}, [...ids].sort());
    },
  },
  {
    id: "STORE-7.pages",
    rule: "STORE-7",
    title: "pages of any size give each run once and in order; only the last page has no next one",
    async check(bench) {
      const store = await bench.open();
      const ids = Array.from({ length: 12 }, (_, at) => `run ${String(at).padStart(2, "0")}`);
      await saveRuns(bench, store, ids);
      const catalog = catalogOf(store);
      for (const limit of [1, 2, 3, 5, 11, 12, 13, 1000]) {
        const found: string[] = [];
        let after: string | undefined;
        do {
          const { runs, next } = await catalog.list(after === undefined ? { limit } : { limit, after });
          if (runs.length > limit) throw unmet(`a page of ${runs.length} runs`, `at most its limit, ${limit}`);
          found.push(...runs.map(({ runId }) => runId));
          if (next !== undefined && (runs.length < limit || found.length >= ids.length)) {
            throw unmet(`a next page after ${found.length} of ${ids.length} runs in pages of ${limit}`, "none");
          }
          after = next;
        } while (after !== undefined && found.length <= ids.length);
        sameList(`the list in pages of ${limit}`, found, ids);
      }
    },
  },
  {
    id: "STORE-7.default-page",
    rule: "STORE-7",
    title: "a list without a limit comes in pages, too, and all of them together hold every run",
    async check(bench) {
      const store = await bench.open();
      const ids = Array.from({ length: 230 }, (_, at) => `run ${String(at).padStart(3, "0")}`);
      await saveRuns(bench, store, ids);
      const catalog = catalogOf(store);
      const first = await catalog.list();
      if (first.runs.length >= ids.length) throw unmet(`a page of ${first.runs.length} runs`, "pages of about 100");
      sameList(
        "all pages",
        (await allPages(catalog)).map(({ runId }) => runId),
        ids,
      );
      same("the count", await catalog.count(), ids.length);
    },
  },
  {
    id: "STORE-7.filters",
    rule: "STORE-7",
    title: "a list and a count by status, by prefix and by both hold what fits, in pages, too",
    async check(bench) {
      const store = await bench.open();
      const statuses = ["running", "completed", "failed"] as const;
      const all = Array.from({ length: 18 }, (_, at) => ({
        id: `${at % 2 === 0 ? "even" : "odd"} ${String(at).padStart(2, "0")}`,
        status: statuses[at % 3] ?? "running",
      }));
      for (const { id, status } of all) await saveRun(bench, store, id, { status });
      for (const prefix of [undefined, "", "even", "odd 1", "even 04", "none"]) {
        for (const status of [undefined, ...statuses]) {
          const query = { ...(prefix === undefined ? {} : { prefix }), ...(status === undefined ? {} : { status }) };
          const fits = all.filter((run) => run.id.startsWith(prefix ?? "") && (status ?? run.status) === run.status);
          await lists(store, query, fits.map(({ id }) => id).sort());
        }
      }
    },
  },
  {
    id: "STORE-7.odd-prefixes",
    rule: "STORE-7",
    title: "a prefix is plain text: no pattern, no fold of case, and it may be a whole id",
    async check(bench) {
      const store = await bench.open();
      const ids = [...prefixIds, ...oddRunIds.filter((id) => !prefixIds.includes(id))];
      await saveRuns(bench, store, ids);
      for (const prefix of [...prefixIds, ...oddRunIds, "x", "a", "A", "%", "_", "\\", "*", "R", "e"]) {
        await lists(store, { prefix }, ids.filter((id) => id.startsWith(prefix)).sort());
      }
    },
  },
  {
    id: "STORE-7.summary",
    rule: "STORE-7",
    title: "a listed run shows status, revision, version and resumes of its last save",
    async check(bench) {
      const store = await bench.open();
      const changes = firstChanges("run", { version: "v7", resumes: 3 });
      const session = await bench.acquire(store, "run");
      const first = folded("run", changes);
      await session.save(first, 0, changes);
      await shows(store, { runId: "run", status: "running", revision: 1, version: "v7", resumes: 3 });
      const second = folded("run", [], first);
      await session.save(second, 1, []);
      await shows(store, { runId: "run", status: "running", revision: 2, version: "v7", resumes: 3 });
      const header: Header = { ...second.header, revision: 3, status: "failed", resumes: 4 };
      await session.save({ ...second, header }, 2, [{ kind: "put", key: "header", entry: header }]);
      await shows(store, { runId: "run", status: "failed", revision: 3, version: "v7", resumes: 4 });
      await session.close();
      await shows(await bench.open(), { runId: "run", status: "failed", revision: 3, version: "v7", resumes: 4 });
    },
  },
  {
    id: "STORE-7.unsaved",
    rule: "STORE-7",
    title: "a run that is owned and was never saved is in no list and in no count, and cannot be read",
    async check(bench) {
      const store = await bench.open();
      await bench.acquire(store, "run");
      await lists(store, {}, []);
      await refused("PULSE_NOT_FOUND", "reading a run that was never saved", () => catalogOf(store).read("run"));
    },
  },
  {
    id: "STORE-7.read",
    rule: "STORE-7",
    title: "a run is read while another owns it, by another store on the place, too, and stays owned",
    async check(bench) {
      const store = await bench.open();
      const other = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      for (let revision = 1; revision <= 4; revision += 1) {
        await saveStep(session, run, revision);
        await bench.reads(store, run.at(revision));
        await bench.reads(other, run.at(revision));
      }
      await refused("PULSE_BUSY", "acquiring a run that was read", () => other.acquire("run"));
    },
  },
  {
    id: "STORE-7.read-while-saving",
    rule: "STORE-7",
    title: "who reads while the owner saves sees whole records, each as new as the last or newer",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", {
        bytesAt: (revision) => new Uint8Array(revision % 3 === 0 ? 20_000 : 9).fill(revision),
      });
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      const last = 60;
      const read = async (): Promise<void> => {
        const catalog = catalogOf(await bench.open());
        for (let seen = 1; seen < last;) {
          bench.signal.throwIfAborted();
          const { header } = await catalog.read("run");
          if (header.revision < seen) throw unmet(`revision ${header.revision} after ${seen}`, "none before it");
          seen = header.revision;
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const whole = async (): Promise<void> => {
        const other = await bench.open();
        for (let seen = 1; seen < last;) {
          bench.signal.throwIfAborted();
          const record = await catalogOf(other).read("run");
          seen = record.header.revision;
          await bench.sameAs(other, record, run.at(seen));
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([read(), whole(), saveSteps(session, run, 1, last)]);
    },
  },
  {
    id: "STORE-7.delete",
    rule: "STORE-7",
    title: "a deleted run is gone for good; a run of the same id begins anew",
    async check(bench) {
      const store = await bench.open();
      const catalog = catalogOf(store);
      const run = sampleRun("run");
      const anew = sampleRun("run", { bytesAt: (revision) => Uint8Array.of(revision) });
      await saveRun(bench, store, "other");
      for (const [round, each] of [run, anew, run].entries()) {
        const session = await bench.acquire(store, "run");
        await refused("PULSE_NOT_FOUND", `loading a run deleted ${round} times`, () => session.load());
        await refused("PULSE_CONFLICT", "saving on a run that was deleted", () => saveStep(session, each, 2));
        await saveSteps(session, each, 0, 3 - round);
        await bench.loads(session, each.at(3 - round));
        await session.close();
        await catalog.delete("run");
        await catalog.delete("run");
        await lists(store, {}, ["other"]);
        await refused("PULSE_NOT_FOUND", "reading a run that was deleted", () => catalog.read("run"));
      }
      await bench.reads(await bench.open(), sampleRun("other").at(1));
    },
  },
  {
    id: "STORE-7.delete-owned",
    rule: "STORE-7",
    title: "a run that somebody owns is not deleted: PULSE_BUSY, from each store, and the owner saves on",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run");
      const session = await bench.acquire(store, "run");
      const stores = [store, await bench.open()];
      for (const revision of [0, 1, 2]) {
        for (const each of stores) {
          await refused("PULSE_BUSY", "deleting a run that is owned", () => catalogOf(each).delete("run"));
        }
        await saveStep(session, run, revision + 1);
        await bench.loads(session, run.at(revision + 1));
      }
      await session.close();
      await catalogOf(store).delete("run");
      await lists(store, {}, []);
    },
  },
  {
    id: "STORE-7.delete-alone",
    rule: "STORE-7",
    title: "deleting a run deletes no other, be its id a look-alike",
    async check(bench) {
      const store = await bench.open();
      const ids = [...new Set([...prefixIds, ...oddRunIds])];
      await saveRuns(bench, store, ids);
      for (const [at, id] of ids.entries()) {
        await catalogOf(store).delete(id);
        const { runs } = await catalogOf(store).list({ limit: 1000 });
        sameList(
          "the list",
          runs.map(({ runId }) => runId),
          ids.slice(at + 1).sort(),
        );
      }
    },
  },
  {
    id: "STORE-7.changing",
    rule: "STORE-7",
    title: "runs that come and go between two pages neither hide nor repeat another",
    async check(bench) {
      const store = await bench.open();
      const catalog = catalogOf(store);
      await saveRuns(bench, store, ["b", "d", "f", "h", "j"]);
      const first = await catalog.list({ limit: 2 });
      sameList(
        "the first page",
        first.runs.map(({ runId }) => runId),
        ["b", "d"],
      );
      // The one that the next page begins after goes, and others come before and behind it.
      await catalog.delete("d");
      await saveRuns(bench, store, ["a", "c", "e"]);
      const rest = await allPages(catalog, { limit: 2, ...(first.next === undefined ? {} : { after: first.next }) });
      sameList(
        "the pages after it",
        rest.map(({ runId }) => runId),
        ["e", "f", "h", "j"],
      );
    },
  },
];

/** Ids of which some begin as others do, or as a pattern would. */
const prefixIds: readonly string[] = [
  "a",
  "ab",
  "a%",
  "a_b",
  "axb",
  "A",
  "a\\",
  "%",
  "_",
  "[a]",
  "a*",
  "e",
  "x".repeat(99),
];

async function saveRun(bench: Bench, store: Store, runId: string, header: Partial<Header> = {}): Promise<void> {
  const session = await bench.acquire(store, runId);
  await saveStep(session, sampleRun(runId, { header }), 1);
  await session.close();
}

/** Several at once: making them is not what is looked at. */
async function saveRuns(bench: Bench, store: Store, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  const worker = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await saveRun(bench, store, id);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** A list, in one page and in pages of 3, and a count agree with what they must hold. */
async function lists(store: Store, query: Parameters<typeof allPages>[1], wanted: readonly string[]): Promise<void> {
  const catalog = catalogOf(store);
  for (const limit of [1000, 3]) {
    const found = await allPages(catalog, { ...query, limit });
    const problem = found.find((run) => run.problem !== undefined);
    if (problem !== undefined) throw unmet(`run ${shown(problem.runId)} with the problem ${problem.problem}`, "none");
    sameList(
      `the list for ${shown(query)}`,
      found.map(({ runId }) => runId),
      wanted,
    );
  }
  same(`the count for ${shown(query)}`, await catalog.count(query), wanted.length);
}

async function shows(store: Store, wanted: object): Promise<void> {
  const { runs } = await catalogOf(store).list();
  const difference = firstDifference(runs[0], wanted, "the listed run");
  if (difference !== undefined) throw unmet(`${difference.at} is ${shown(difference.seen)}`, shown(difference.wanted));
}
