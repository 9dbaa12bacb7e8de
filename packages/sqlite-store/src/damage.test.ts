import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { everythingIn, openPlace, rejectionOf } from "./testing/place.ts";
import { seeded } from "./testing/seeded.ts";
import { sample } from "./testing/sample-run.ts";

/** Some values are contents, and every node has bytes. */
const bytesAt = (revision: number): Uint8Array =>
  new Uint8Array(Buffer.alloc(revision % 2 === 0 ? 20_000 : 40, `${revision} `));
const run = sample("order", { bytesAt });

/** Each changes one row of the run in a way that a flipped bit can; where the damage must be told. */
const damages: readonly (readonly [sql: string, where: RegExp])[] = [
  ["UPDATE run SET revision = revision + 1 WHERE id = 'order'", /table run, row \d+/],
  ["UPDATE run SET status = 'completed' WHERE id = 'order'", /table run, row \d+/],
  ["UPDATE run SET version = '2' WHERE id = 'order'", /table run, row \d+/],
  ["UPDATE run SET resumes = 9 WHERE id = 'order'", /table run, row \d+/],
  ["UPDATE run SET entries = entries - 1 WHERE id = 'order'", /table run, row \d+/],
  ["UPDATE run SET sum = sum - 1 WHERE id = 'order'", /table run, row \d+/],
  [
    "UPDATE entry SET text = replace(text, 'completed', 'complfted') WHERE key LIKE 'node/%201' AND place >> 32 = 1",
    /table entry, row \d+ \(node/,
  ],
  [
    "UPDATE entry SET bytes = CAST(substr(bytes, 1, 20) || x'01' || substr(bytes, 22) AS BLOB) WHERE key LIKE 'node/%200' AND place >> 32 = 1",
    /table entry, row \d+ \(node/,
  ],
  ["UPDATE entry SET bytes = NULL WHERE key LIKE 'node/%200' AND place >> 32 = 1", /table entry, row \d+ \(node/],
  ["UPDATE entry SET bytes = x'' WHERE key LIKE 'attempt/%00' AND place >> 32 = 1", /table entry, row \d+ \(attempt/],
  ["UPDATE entry SET cuts = '[1,2]' WHERE key LIKE 'node/%200' AND place >> 32 = 1", /table entry, row \d+ \(node/],
  [
    "UPDATE entry SET key = 'attempt/' || substr(key, 9, 31) || 'f' WHERE key LIKE 'attempt/%00' AND place >> 32 = 1",
    /table entry, row \d+ \(attempt/,
  ],
  ["UPDATE entry SET sum = sum + 1 WHERE key = 'header' AND place >> 32 = 1", /table entry, row \d+ \(header\)/],
  ["DELETE FROM entry WHERE key LIKE 'attempt/%00' AND place >> 32 = 1", /table entry, run number 1/],
  [
    "UPDATE entry SET place = place + 500 WHERE key LIKE 'attempt/%00' AND place >> 32 = 1",
    /table entry, row \d+ \(attempt/,
  ],
  [
    "INSERT INTO entry SELECT place + 500, key, text, cuts, bytes, sum FROM entry WHERE key = 'header' AND place >> 32 = 1",
    /table entry, row \d+ \(header\)/,
  ],
];

test.each(damages)(
  "STORE-3 SQL-3 a damaged row is told by table and row, is found by the check, and nothing changes: %s",
  async (sql, where) => {
    await using place = await openPlace();
    const other = sample("other");
    const old = place.open();
    await saveRun(old, run, 5);
    await saveRun(old, other, 2);
    await old.close();
    const raw = place.raw();
    raw.pragma("foreign_keys = OFF");
    expect(raw.prepare(sql).run().changes).toBe(1);
    raw.pragma("wal_checkpoint(TRUNCATE)");
    raw.close();
    const store = place.open();
    const error = await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"));
    expect(error.details.where).toMatch(where);
    expect(error.details).toMatchObject({ runId: "order", next: "restore-backup" });
    expect(error.message).toContain(place.file);
    const session = await store.acquire("order");
    expect((await rejectionOf("PULSE_CORRUPT", session.load())).details.where).toMatch(where);
    await session.close();
    const { problems } = await store.checkIntegrity();
    expect(problems.filter(({ runId }) => runId === "order").map(({ found }) => found)).toContainEqual(
      expect.stringMatching(where),
    );
    expect(problems.filter(({ runId }) => runId === "other")).toEqual([]);
    const listed = (await store.catalog.list()).runs;
    expect(listed.map(({ runId }) => runId)).toEqual(["order", "other"]);
    expect(listed[0]?.problem !== undefined).toBe(sql.includes("UPDATE run"));
    await expectRecord(store, other, 2);
    expect((await store.collect({ windowMs: 0 })).unreadable).toEqual(["order"]);
    await rejectionOf("PULSE_CORRUPT", store.backup(join(place.folder, "copy.db")));
    // Of all this nothing was written but who owned the run, and no longer does.
    const look = place.raw();
    expect(look.prepare("SELECT count(*) FROM owner").pluck().get()).toBe(0);
    expect(Object.keys(await everythingIn(place.folder)).filter((name) => name.startsWith("copy"))).toEqual([]);
  },
);

test.each([
  ["UPDATE content_bytes SET bytes = CAST(x'01' || substr(bytes, 2) AS BLOB)", "which is not its name"],
  ["DELETE FROM content_bytes", "missing"],
  ["UPDATE content SET digest = 'f' || substr(digest, 2)", "missing"],
])("STORE-10 SQL-3 a damaged content is told by its digest, and found by the check: %s", async (sql, found) => {
  await using place = await openPlace();
  const store = place.open();
  await saveRun(store, run, 3);
  const raw = place.raw();
  raw.pragma("foreign_keys = OFF");
  expect(raw.prepare(sql).run().changes).toBe(1);
  const digest = [...(await store.catalog.read("order")).nodes.values()].flatMap(({ outputs }) =>
    outputs.flatMap((value) => ("content" in value ? [value.content.digest] : [])),
  )[0];
  const error = await rejectionOf("PULSE_CORRUPT", store.catalog.content?.("order", digest ?? "") ?? Promise.resolve());
  expect(error.message).toContain(found);
  expect(error.message).toContain(`the content ${digest}`);
  const { problems } = await store.checkIntegrity();
  expect(problems.length).toBeGreaterThan(0);
  // Whoever puts it again mends it.
  await saveRun(store, sample("again", { bytesAt }), 3);
  await expectRecord(store, run, 3);
});

/** How many bytes are flipped, each in a copy of its own. */
const flips = 60;

test(
  "STORE-3 SQL-3 a flipped byte anywhere in the file is an error that tells it, or changes nothing that is read",
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace();
    const old = place.open();
    await saveRun(old, run, 6);
    await old.close();
    const random = seeded();
    const whole = await readFile(place.file);
    let told = 0;
    for (let round = 0; round < flips; round += 1) {
      // Behind the beginning of the file, which says what it is.
      const at = 100 + random(whole.length - 100);
      await using copy = await openPlace();
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x41;
      await writeFile(copy.file, bytes);
      const store = copy.open();
      try {
        await expectRecord(store, run, 6);
      } catch (error) {
        const codes = ["PULSE_CORRUPT", "PULSE_STORE", "PULSE_NOT_FOUND"] as const;
        if (!codes.some((code) => isPulseError(error, code))) throw new Error(`byte ${at}`, { cause: error });
        told += 1;
        // What is not found was lost with the index or the row that leads to it: the check sees that.
        if (isPulseError(error, "PULSE_NOT_FOUND")) {
          expect((await store.checkIntegrity()).problems, `byte ${at}`).not.toEqual([]);
        }
      }
    }
    expect(told).toBeGreaterThan(10);
  },
);
