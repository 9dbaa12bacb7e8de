import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");
const healthy = sampleRun("run of another name");

async function damaged(bench: PgBench, change: string): Promise<void> {
  const store = bench.openDirect();
  for (const each of [run, healthy]) {
    const session = await store.acquire(each.runId);
    await saveSteps(session, each, 0, 3);
    await session.close();
  }
  const text = change.replaceAll("runs", `"${bench.schema}".runs`).replaceAll("entries", `"${bench.schema}".entries`);
  await bench.ask(text.replaceAll("$run", `(SELECT min(run_no) FROM "${bench.schema}".runs)`));
}

const node = `key = convert_to('node/' || repeat('0', 32) || '/step%202', 'UTF8')`;
const entryDamage: readonly (readonly [what: string, change: string, where: string])[] = [
  ["a byte of a value", `bytes = set_byte(bytes, 6, 0)`, "step%202"],
  ["the end of a value", `bytes = substring(bytes, 1, length(bytes) - 1)`, "step%202"],
  ["the bytes", "bytes = NULL", "step%202"],
  ["the text", `text = convert_to('{}', 'UTF8')`, "step%202"],
  ["the key", `key = convert_to('node/' || repeat('0', 32) || '/step%209', 'UTF8')`, "step%209"],
  ["the revision", "revision = 1", "step%202"],
  ["the checksum", "checksum = checksum + 1", "step%202"],
];

describe("a damaged row", () => {
  test.each(entryDamage)("REC-17 of an entry, %s, is PULSE_CORRUPT naming it", async (_what, change, where) => {
    await using bench = await openBench();
    await damaged(bench, `UPDATE entries SET ${change} WHERE run_no = $run AND ${node}`);
    const store = bench.openDirect();
    const found = { code: "PULSE_CORRUPT", details: { runId: run.runId, next: "restore-backup" } };
    await expect(store.catalog.read(run.runId)).rejects.toMatchObject(found);
    await expect(store.catalog.read(run.runId)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`the entry "node/0+/${where}" in "${bench.schema}"."entries"`)),
    });
    const session = await store.acquire(run.runId);
    await expect(session.load()).rejects.toMatchObject(found);
    expect(await store.catalog.read(healthy.runId)).toEqual(healthy.at(3));
  });

  test("REC-17 a row that belongs to another run is told, though it is whole", async () => {
    await using bench = await openBench();
    await damaged(
      bench,
      `UPDATE entries e SET text = o.text, bytes = o.bytes, checksum = o.checksum
       FROM entries o WHERE e.run_no = $run AND o.run_no <> $run AND o.key = e.key AND e.${node}`,
    );
    await expect(bench.openDirect().catalog.read(run.runId)).rejects.toMatchObject({
      code: "PULSE_CORRUPT",
      message: expect.stringContaining("its checksum does not fit"),
    });
  });

  test("REC-17 an entry that is newer than its run is told", async () => {
    await using bench = await openBench();
    await damaged(bench, "SELECT 1");
    // As after the restoration of one table alone.
    const session = await bench.openDirect().acquire(run.runId);
    const kept = await bench.ask(`SELECT * FROM "${bench.schema}".runs WHERE revision = 3 ORDER BY run_no LIMIT 1`);
    await saveSteps(session, run, 3, 4);
    await bench.ask(`UPDATE "${bench.schema}".runs SET revision = 3, checksum = $1 WHERE run_no = $2`, [
      kept[0]?.["checksum"],
      kept[0]?.["run_no"],
    ]);
    await expect(session.load()).rejects.toMatchObject({
      code: "PULSE_CORRUPT",
      message: expect.stringContaining("it has revision 4, and the run only 3"),
    });
  });

  test.each(["revision = revision + 1", "status = 'failed'", "version = '\\x32'", "resumes = 5", "checksum = 0"])(
    "REC-17 STORE-7 of a run, %s, is told by reading and in the list, and hides no other run",
    async (change) => {
      await using bench = await openBench();
      await damaged(bench, `UPDATE runs SET ${change} WHERE run_no = $run`);
      const store = bench.openDirect();
      await expect(store.catalog.read(run.runId)).rejects.toMatchObject({
        code: "PULSE_CORRUPT",
        message: expect.stringContaining(`the row of the run in "${bench.schema}"."runs"`),
      });
      const { runs } = await store.catalog.list();
      expect(runs.map(({ runId, problem }) => [runId, problem !== undefined])).toEqual([
        [run.runId, true],
        [healthy.runId, false],
      ]);
    },
  );

  test("REC-17 a run without its header is told", async () => {
    await using bench = await openBench();
    await damaged(bench, `DELETE FROM entries WHERE run_no = $run AND key = convert_to('header', 'UTF8')`);
    await expect(bench.openDirect().catalog.read(run.runId)).rejects.toMatchObject({
      code: "PULSE_CORRUPT",
      message: expect.stringContaining("the entry header is missing"),
    });
  });
});
