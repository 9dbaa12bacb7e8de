import { expect, test } from "vitest";
import type { CatalogQuery, CatalogRun } from "../store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { recordAt, toldAdapter } from "../testing/told-adapter.ts";
import type { CatalogAdapter } from "./adapter.ts";
import { defineStore } from "./define-store.ts";

const runs: readonly CatalogRun[] = ["a", "b", "c", "d", "e"].map((runId) => ({
  runId,
  status: "running",
  revision: 1,
  version: "1",
  resumes: 0,
}));

/** A catalogue of those runs, and what it was asked for. */
function catalogued(rest: Partial<CatalogAdapter> = {}) {
  const queries: CatalogQuery[] = [];
  const catalog: CatalogAdapter = {
    async list(query) {
      queries.push(query);
      return runs.filter(({ runId }) => query.after === undefined || runId > query.after).slice(0, query.limit);
    },
    read: async () => undefined,
    delete: async () => {},
    count: async () => runs.length,
    ...rest,
  };
  return { queries, catalog: defineStore({ ...toldAdapter(), catalog }).catalog };
}

const idsOf = (page: { readonly runs: readonly CatalogRun[] }): string => page.runs.map(({ runId }) => runId).join("");

test("STORE-7 pages follow each other without a gap, and the last one has no next", async () => {
  const { catalog, queries } = catalogued();
  const first = await catalog.list({ limit: 2 });
  const second = await catalog.list({ limit: 2, after: first.next ?? "" });
  const third = await catalog.list({ limit: 2, after: second.next ?? "" });
  expect([first, second, third].map(idsOf)).toEqual(["ab", "cd", "e"]);
  expect([first.next, second.next, "next" in third]).toEqual(["b", "d", false]);
  // One more than fits tells that there is a next page.
  expect(queries.map(({ limit }) => limit)).toEqual([3, 3, 3]);
  expect(await catalog.list({ limit: 5 })).toEqual({ runs });
});

test("STORE-7 a page has 100 runs unless another number is asked for", async () => {
  const { catalog, queries } = catalogued();
  await catalog.list();
  expect(queries).toEqual([{ limit: 101 }]);
});

test("STORE-7 queries that cannot be, and options that there are not, are refused by name", async () => {
  const { catalog, queries } = catalogued();
  const wrong = { status: "done", prefix: 7, after: null, limit: 0, page: 2 };
  for (const [name, value] of Object.entries(wrong)) {
    const error = await rejectionOf("PULSE_INVALID", catalog.list({ [name]: value }));
    expect(error.details.problems.map(({ path }) => path)).toEqual([name]);
    expect(error.message).toMatch(/^listing runs: /u);
  }
  await rejectionOf("PULSE_INVALID", catalog.count({ limit: 2 } as object));
  await rejectionOf("PULSE_INVALID", catalog.list(null as never));
  expect(queries).toEqual([]);
});

test("STORE-7 a run that is not there is not found, and what the medium throws is told", async () => {
  const broken = (): Promise<never> => Promise.reject(new Error("cable cut"));
  const { catalog } = catalogued({ list: broken, count: broken, delete: broken });
  expect((await rejectionOf("PULSE_NOT_FOUND", catalog.read("run"))).details.next).toBe("start");
  const calls = {
    "listing runs": () => catalog.list(),
    "counting runs": () => catalog.count(),
    'deleting run "run"': () => catalog.delete("run"),
  };
  for (const [doing, call] of Object.entries(calls)) {
    const error = await rejectionOf("PULSE_STORE", call());
    expect(error.message.startsWith(`${doing}: the medium failed`)).toBe(true);
  }
  for (const call of [catalog.read, catalog.delete]) await rejectionOf("PULSE_INVALID", call(""));
});

test("STORE-7 STORE-10 a content is read without owning the run, and checked", async () => {
  const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  const asked: string[] = [];
  const { catalog } = catalogued({
    read: async () => recordAt(3),
    async content(runId, named) {
      asked.push(`${runId} ${named}`);
      return Buffer.from("hello");
    },
  });
  const content = (named: string): Promise<Uint8Array> =>
    catalog.content?.("run", named) ?? Promise.reject(new Error("the catalogue has no content"));
  expect(Buffer.from(await content(digest)).toString()).toBe("hello");
  await rejectionOf("PULSE_CORRUPT", content("0".repeat(64)));
  await rejectionOf("PULSE_USAGE", content("../etc"));
  expect(asked).toEqual([`run ${digest}`, `run ${"0".repeat(64)}`]);
  expect((await catalog.read("run")).header.revision).toBe(3);
});
