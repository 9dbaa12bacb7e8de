import { expect, test } from "vitest";
import type { RunRecord } from "../record/format.ts";
import { sampleRecord } from "../testing/sample-record.ts";
import { toldAdapter } from "../testing/told-adapter.ts";
import { catalogByReading } from "./catalog-by-reading.ts";
import { defineStore } from "./define-store.ts";
import { corrupt } from "./store-errors.ts";

/** 250 runs `r000` … `r249`; each tenth completed, the seventh never saved, the eighth damaged. */
const runIds = Array.from({ length: 250 }, (_, at) => `r${String(at).padStart(3, "0")}`);
const recordOf = (runId: string): RunRecord | undefined => {
  if (runId === "r007") return undefined;
  if (runId === "r008") throw corrupt(runId, "the eighth place", "it is damaged");
  const status = Number(runId.slice(1)) % 10 === 0 ? "completed" : "running";
  return sampleRecord({ header: { runId, status, revision: 4 } });
};

function catalogued(read: (runId: string) => RunRecord | undefined = recordOf) {
  const asked: string[] = [];
  const catalog = catalogByReading({
    async runIds({ prefix, after, limit }) {
      return runIds.filter((runId) => runId.startsWith(prefix) && runId > after).slice(0, limit);
    },
    async read(runId) {
      asked.push(runId);
      return read(runId);
    },
    delete: async () => {},
  });
  return { asked, catalog: defineStore({ ...toldAdapter(), catalog, explain: () => undefined }).catalog };
}

test("STORE-7 runs are listed and counted by reading them, a page at a time and no further", async () => {
  const { catalog, asked } = catalogued();
  expect(await catalog.count()).toBe(249);
  expect(await catalog.count({ status: "completed" })).toBe(25);
  expect(await catalog.count({ status: "completed", prefix: "r1" })).toBe(10);
  asked.length = 0;
  const page = await catalog.list({ status: "completed", limit: 2, after: "r000" });
  expect(page.runs.map(({ runId }) => runId)).toEqual(["r010", "r020"]);
  expect(page.next).toBe("r020");
  expect(asked.at(-1)).toBe("r030");
  const last = await catalog.list({ status: "completed", after: "r230" });
  expect(last).toEqual({
    runs: [{ runId: "r240", status: "completed", revision: 4, version: "1", resumes: 0 }],
  });
});

test("STORE-7 one run that cannot be read does not hide the others", async () => {
  const { catalog } = catalogued();
  const { runs } = await catalog.list({ prefix: "r00" });
  expect(runs.map(({ runId }) => runId)).toEqual(runIds.slice(0, 10).filter((runId) => runId !== "r007"));
  expect(runs.find(({ runId }) => runId === "r008")?.problem).toContain("the eighth place: it is damaged");
});

test("STORE-7 a medium that fails ends the listing", async () => {
  const failure = new Error("cable cut");
  const { catalog } = catalogued((runId) => {
    if (runId === "r003") throw failure;
    return recordOf(runId);
  });
  await expect(catalog.list()).rejects.toBe(failure);
});
