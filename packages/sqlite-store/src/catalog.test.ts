import { headerKey } from "@pulse-ts/durable";
import type { CatalogQuery } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { countStatement, listStatement } from "./catalog.ts";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { openPlace, rejectionOf } from "./testing/place.ts";
import { sample } from "./testing/sample-run.ts";

/** Every way of asking for a page. */
const queries: readonly CatalogQuery[] = [
  {},
  { after: "m" },
  { prefix: "order-" },
  { prefix: "order-", after: "order-5" },
  { status: "failed" },
  { status: "failed", after: "m" },
  { status: "failed", prefix: "order-" },
  { status: "failed", prefix: "order-", after: "order-5" },
];

test("STORE-7 a page is one range of an index, whatever is asked for, and so is a count by status or prefix", async () => {
  await using place = await openPlace();
  await saveRun(place.open(), sample("order-1"), 1);
  const raw = place.raw();
  const planOf = (sql: string, cells: readonly unknown[]): string =>
    (raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...cells) as readonly { readonly detail: string }[])
      .map(({ detail }) => detail)
      .join("; ");
  for (const query of queries) {
    const { sql, cells } = listStatement({ ...query, limit: 101 });
    const plan = planOf(sql, cells);
    expect(plan).toMatch(/^(SEARCH|SCAN) run USING INDEX \w+[^;]*$/);
    // The whole list is read in the order of its index, as far as its page goes: nothing is sorted.
    if (Object.keys(query).length > 0) expect(plan).toMatch(/^SEARCH/);
    if (query.status !== undefined) expect(plan).toContain("run_by_status (status=?");
    if (Object.keys(query).length === 0 || query.after !== undefined) continue;
    const counting = countStatement(query);
    expect(planOf(counting.sql, counting.cells)).toMatch(/^SEARCH run USING COVERING INDEX/);
  }
});

test("STORE-7 run ids of any text are kept, found, listed in order and deleted without a trace", async () => {
  await using place = await openPlace();
  const store = place.open();
  const ids = [
    "'; DROP TABLE run; --",
    "x".repeat(5_000),
    // Two that only Unicode calls the same, and two that UTF-8 puts in the other order.
    ["a", "a\0", "a\0b", "A", "\u00e4", "a\u0308", "\u{1f600}", "\uffff", "\u{10ffff}", " ", "%", "_", "\\"],
  ].flat();
  for (const id of ids) await saveRun(store, sample(id), 2);
  expect((await store.catalog.list()).runs.map(({ runId }) => runId)).toEqual(ids.toSorted());
  for (const id of ids) await expectRecord(store, sample(id), 2);
  for (const id of ids) await store.catalog.delete(id);
  const raw = place.raw();
  for (const table of ["run", "owner", "entry", "naming"]) {
    expect(raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
  }
});

test("STORE-7 the status of a run in the list is that of its last save", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sample("order");
  const session = await store.acquire("order");
  await session.save(run.at(1), 0, run.changesTo(1));
  const { header, ...maps } = run.at(1);
  const done = { ...header, revision: 2, status: "completed", resumes: 3, version: "2" } as const;
  await session.save({ header: done, ...maps }, 1, [{ kind: "put", key: headerKey, entry: done }]);
  expect((await store.catalog.list({ status: "running" })).runs).toEqual([]);
  expect((await store.catalog.list({ status: "completed" })).runs).toEqual([
    { runId: "order", status: "completed", revision: 2, version: "2", resumes: 3 },
  ]);
});

test("STORE-7 deleting a run whose owner is busy with it elsewhere is refused; one that was never saved is free again", async () => {
  await using place = await openPlace();
  const store = place.open();
  const session = await store.acquire("order");
  const error = await rejectionOf("PULSE_BUSY", store.catalog.delete("order"));
  expect(error.message).toContain('deleting run "order"');
  await session.close();
  await store.catalog.delete("order");
  expect(place.raw().prepare("SELECT count(*) FROM owner").pluck().get()).toBe(0);
});
