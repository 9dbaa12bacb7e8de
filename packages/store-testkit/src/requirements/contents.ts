import { nodeKey } from "@pulse-ts/durable";
import type { Catalog, NodeEntry, RecordChanges, Session } from "@pulse-ts/durable";
import { catalogOf } from "../catalog-of.ts";
import { errorOf, same, unmet } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { folded, rootId, sampleRun, saveStep, saveSteps, sha256 } from "../sample-run.ts";

/** Big values, kept under their digest by a store that does so (STORE-8, STORE-10). */
export const contents: readonly Requirement[] = [
  {
    id: "STORE-8.sizes",
    rule: "STORE-8",
    title: "values of every size around a likely limit come back, as bytes or as a content that can be read",
    async check(bench) {
      const store = await bench.open();
      const sizes = [0, 1, 1023, 1024, 1025, 4096, 8191, 8192, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 300_000];
      const run = sampleRun("run", { bytesAt: (revision) => filled(sizes[revision - 1] ?? 0, revision) });
      const session = await bench.acquire(store, "run");
      await saveSteps(session, run, 0, sizes.length);
      await bench.loads(session, run.at(sizes.length));
      await session.close();
      await bench.loads(await bench.acquire(await bench.open(), "run"), run.at(sizes.length));
      if (store.catalog !== undefined) await bench.reads(store, run.at(sizes.length));
    },
  },
  {
    id: "STORE-10.carried-on",
    rule: "STORE-10",
    title: "a record that was loaded with contents is saved on: its node is put again as it was loaded",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", { bytesAt: (revision) => filled(30_000, revision) });
      const first = await bench.acquire(store, "run");
      await saveSteps(first, run, 0, 2);
      await first.close();
      const session = await bench.acquire(store, "run");
      const loaded = await session.load();
      const key = nodeKey(rootId, "step 1");
      const node = loaded.nodes.get(key.slice("node/".length));
      if (node === undefined) throw unmet("no node of step 1", "the one that was saved");
      const changes: RecordChanges = [{ kind: "put", key, entry: { ...node } satisfies NodeEntry }];
      await session.save(folded("run", changes, loaded), 2, changes);
      await bench.loads(session, { ...run.at(2), header: { ...run.at(2).header, revision: 3 } });
      await session.close();
      const last = await bench.acquire(await bench.open(), "run");
      await bench.loads(last, { ...run.at(2), header: { ...run.at(2).header, revision: 3 } });
    },
  },
  {
    id: "STORE-8.shared",
    rule: "STORE-8",
    title: "equal contents of several runs are each run's own: deleting one run takes nothing from another",
    async check(bench) {
      const store = await bench.open();
      const runs = ["a", "b", "c"].map((id) => sampleRun(id, { bytesAt: () => filled(40_000, 7) }));
      for (const run of runs) {
        const session = await bench.acquire(store, run.runId);
        await saveSteps(session, run, 0, 2);
        await session.close();
      }
      const [, second, third] = runs;
      await catalogOf(store).delete("a");
      for (const run of [second, third]) if (run !== undefined) await bench.reads(store, run.at(2));
      const anew = sampleRun("a", { bytesAt: () => filled(40_000, 7) });
      const session = await bench.acquire(store, "a");
      await saveStep(session, anew, 1);
      await bench.loads(session, anew.at(1));
    },
  },
  {
    id: "STORE-10.checked",
    rule: "STORE-10",
    title: "a digest that no content has gives an error, never bytes",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", { bytesAt: (revision) => filled(30_000, revision) });
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      for (const digest of [sha256("nobody saved this"), "", "../run", "__proto__", sha256("x").toUpperCase()]) {
        for (const read of readers(session, store.catalog)) {
          await errorOf("an error", `reading the content ${JSON.stringify(digest)}`, () => read(digest));
        }
      }
    },
  },
  {
    id: "STORE-10.isolated",
    rule: "STORE-10",
    title: "the bytes of a content are the reader's own: changing them changes nothing in the store",
    async check(bench) {
      const store = await bench.open();
      const bytes = filled(30_000, 1);
      const run = sampleRun("run", { bytesAt: () => Uint8Array.from(bytes) });
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      if (await hasContent(session)) {
        for (const read of readers(session, store.catalog)) {
          for (let time = 0; time < 2; time += 1) {
            const found = await read(sha256(bytes));
            if (Buffer.compare(found, bytes) !== 0) throw unmet("other bytes than were saved", "the same");
            found.fill(0);
          }
        }
      }
      await bench.loads(session, run.at(1));
    },
  },
  {
    id: "STORE-10.both-or-none",
    rule: "STORE-10",
    title: "a store whose records name contents lets sessions and the catalogue read them",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", { bytesAt: () => filled(1_000_000, 3) });
      const session = await bench.acquire(store, "run");
      await saveStep(session, run, 1);
      if (!(await hasContent(session))) return;
      same("the type of `session.content`", typeof session.content, "function");
      if (store.catalog !== undefined) same("the type of `catalog.content`", typeof store.catalog.content, "function");
      await bench.loads(session, run.at(1));
    },
  },
];

const filled = (size: number, revision: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >>> 8) + revision) & 255);

/** Each way to read a content. */
function readers(session: Session, catalog: Catalog | undefined): readonly ((digest: string) => Promise<Uint8Array>)[] {
  const sessionContent = session.content?.bind(session);
  const content = catalog?.content?.bind(catalog);
  return [
    ...(sessionContent === undefined ? [] : [(digest: string) => sessionContent(digest)]),
    ...(content === undefined ? [] : [(digest: string) => content("run", digest)]),
  ];
}

/** Whether any value of the record is named as a content. */
async function hasContent(session: Session): Promise<boolean> {
  const { nodes } = await session.load();
  return [...nodes.values()].some(({ outputs }) => outputs.some((value) => "content" in value));
}
