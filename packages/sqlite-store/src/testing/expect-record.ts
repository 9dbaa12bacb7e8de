import { entriesOf, recordBuilder } from "@pulse-ts/durable";
import type { RunRecord, Store } from "@pulse-ts/durable";
import { expect } from "vitest";
import { put, saveUpTo } from "./sample-run.ts";
import type { Sample } from "./sample-run.ts";

/** Saves a run's first revisions and lets go. */
export async function saveRun(store: Store, run: Sample, revisions: number): Promise<void> {
  const session = await store.acquire(run.runId);
  await saveUpTo(session, run, 0, revisions);
  await session.close();
}

/** The store's record is the sample's at this revision, its contents fetched. */
export async function expectRecord({ catalog }: Store, run: Sample, revision: number): Promise<void> {
  if (catalog?.content === undefined) throw new Error("the store has no catalogue with contents");
  const found = await catalog.read(run.runId);
  const builder = recordBuilder(run.runId, found);
  for (const [ids, node] of found.nodes) {
    const outputs = [];
    for (const value of node.outputs) {
      if (!("content" in value)) outputs.push(value);
      else {
        const { content, ...rest } = value;
        outputs.push({ ...rest, bytes: await catalog.content(run.runId, content.digest) });
      }
    }
    builder.apply(put(`node/${ids}`, { ...node, outputs }));
  }
  expect(sorted(builder.view())).toEqual(sorted(run.at(revision)));
}

const sorted = (record: RunRecord): unknown => entriesOf(record).toSorted((a, b) => (a.key < b.key ? -1 : 1));
