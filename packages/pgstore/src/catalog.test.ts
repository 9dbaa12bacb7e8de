import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { countStatement, listStatement } from "./catalog.ts";
import type { Query } from "./catalog.ts";
import type { Statement } from "./database.ts";
import { runChecksum } from "./rows.ts";
import { runKey } from "./run-key.ts";
import { openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { byteaArray } from "./binary-array.ts";

beforeEach(needsPostgres);

/** The last hundredth failed: whoever looks for them in order of id alone passes over all others. */
const statusOf = (at: number, count: number) => (at < count * 0.99 ? "completed" : "failed");
const idOf = (number: number): string => `order-${String(number).padStart(6, "0")}`;

/** So many saved runs, at once. */
async function fill({ ask, schema }: PgBench, ids: readonly string[]): Promise<void> {
  const keys = ids.map(runKey);
  const row = (at: number) => ({ revision: 1, status: statusOf(at, ids.length), version: "1", resumes: 0 });
  await ask(
    `INSERT INTO "${schema}".runs (run_id, status, checksum, revision, lease_end, epoch, resumes, version)
     SELECT f.run_id, f.status, f.checksum, 1, '-infinity', 1, 0, '\\x31'
     FROM unnest($1::bytea[], $2::text[], $3::integer[]) AS f (run_id, status, checksum)`,
    [
      byteaArray(keys.map(({ bytes }) => bytes)),
      keys.map((_, at) => row(at).status),
      keys.map((key, at) => runChecksum(key, row(at))),
    ],
  );
  await ask(`ANALYZE "${schema}".runs`);
}

interface Plan {
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

/** How a statement is done: the indexes that it uses, the rows that it takes from them, and the pages that it looks at. */
async function planOf({ ask }: PgBench, { text, values }: Statement) {
  const [found] = await ask(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  const { Plan: root } = (found!["QUERY PLAN"] as readonly { readonly Plan: Plan }[])[0]!;
  const all = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)];
  const leaves = all(root).filter(({ Plans }) => Plans === undefined);
  return {
    indexes: all(root).flatMap((plan) => (plan["Index Name"] === undefined ? [] : [plan["Index Name"]])),
    rows: leaves.reduce((sum, leaf) => sum + leaf["Actual Rows"] * leaf["Actual Loops"], 0),
    pages: root["Shared Hit Blocks"] + root["Shared Read Blocks"],
  };
}

describe("among 100,000 runs", () => {
  let filled: Promise<PgBench> | undefined;
  const hundredThousand = async (): Promise<PgBench> => {
    const bench = await openBench();
    await fill(
      bench,
      Array.from({ length: 100_000 }, (_, at) => idOf(at)),
    );
    return bench;
  };

  const pages: readonly (readonly [what: string, query: Query, index: string])[] = [
    ["of one status", { status: "failed" }, "runs_by_status"],
    ["of one status, from the middle", { status: "failed", after: idOf(99_500) }, "runs_by_status"],
    ["of one status and prefix", { status: "failed", prefix: "order-0999" }, "runs_by_status"],
    ["of all", {}, "runs_by_id"],
    ["of all, from the middle", { after: idOf(50_000) }, "runs_by_id"],
    ["of one prefix", { prefix: "order-09" }, "runs_by_id"],
  ];

  test.each(pages)("STORE-7 a page %s is read from an index, and nothing but the page", async (_what, query, index) => {
    const bench = await (filled ??= hundredThousand());
    const statement = listStatement(`"${bench.schema}".runs`, { ...query, limit: 101 });
    const { indexes, rows, pages: looked } = await planOf(bench, statement);
    expect(indexes).toEqual([index]);
    expect(rows).toBeLessThanOrEqual(110);
    expect(looked).toBeLessThan(120);
  });

  test("STORE-7 counting the runs of one status reads the rows of no other", async () => {
    const bench = await (filled ??= hundredThousand());
    const { indexes, rows } = await planOf(bench, countStatement(`"${bench.schema}".runs`, { status: "failed" }));
    expect(indexes).toEqual(["runs_by_status"]);
    expect(rows).toBe(1_000);
  });

  test("STORE-7 the store gives the page, the next one and the count", async () => {
    const bench = await (filled ??= hundredThousand());
    const { catalog } = bench.openDirect();
    const first = await catalog.list({ status: "failed" });
    expect(first.runs).toHaveLength(100);
    expect(first.runs[0]).toEqual({ runId: idOf(99_000), status: "failed", revision: 1, version: "1", resumes: 0 });
    const second = await catalog.list({ status: "failed", ...(first.next === undefined ? {} : { after: first.next }) });
    expect(second.runs[0]?.runId).toBe(idOf(99_100));
    expect(await catalog.count({ status: "failed" })).toBe(1_000);
    expect(await catalog.count({ prefix: "order-0999" })).toBe(100);
    await bench[Symbol.asyncDispose]();
  });
});

test("STORE-7 ids that begin alike for longer than the index looks are listed in order, too", async () => {
  await using bench = await openBench();
  const long = "x".repeat(300);
  const ids = [
    long,
    `${long}a`,
    `${long}b`,
    `${long}${"y".repeat(5_000)}`,
    `${long}\ue000`,
    `${long}\u{1f600}`,
    "a",
    "y",
  ];
  await fill(bench, ids);
  const { catalog } = bench.openDirect();
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await catalog.list({ limit: 1, ...(after === undefined ? {} : { after }) });
    found.push(...page.runs.map(({ runId }) => runId));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(found).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
  expect((await catalog.list({ prefix: `${long}a` })).runs.map(({ runId }) => runId)).toEqual([`${long}a`]);
  expect(await catalog.count({ prefix: long })).toBe(6);
  expect(await catalog.count({ prefix: `${long}\ud83d` })).toBe(1);
});
