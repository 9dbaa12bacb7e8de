import { readdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runFolder, runIdLengthMax, runIdOfName, sortNames } from "./layout.ts";
import { fileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { openPlace } from "./testing/place.ts";
import { firstRecord } from "./testing/records.ts";

const oddIds = [
  "../../x",
  "..",
  ".",
  "/etc/passwd",
  "a/b",
  "a\\b",
  "C:\\x",
  "a\0b",
  "CON",
  "con",
  "nul.txt",
  "COM1",
  "Order",
  "order",
  "ORDER",
  "order.",
  "order ",
  " order",
  "\u00e9",
  "e\u0301",
  "\u212b",
  "\u00c5",
  "A\u030a",
  "%41",
  "%2e%2e",
  "id-order",
  "run",
  "👩‍👩‍👧",
  "__proto__",
  "-",
  '*?<>|":',
  "\n",
  "x".repeat(255),
  "x".repeat(10_000),
  "X".repeat(10_000),
  "é".repeat(3_000),
];

const nameOf = (runId: string): string => {
  const path = runFolder("/root", runId).path;
  expect(path.startsWith("/root/runs/")).toBe(true);
  return path.slice("/root/runs/".length);
};

test("FILE-1 odd run ids are different folders inside the root, on every kind of file system", () => {
  const names = oddIds.map(nameOf);
  for (const name of names) {
    // No separators, no dots, no upper case, nothing that normalisation changes, no reserved name, and not too long.
    expect(name).toMatch(/^(id-[a-z0-9_%-]+|sha256-[0-9a-f]{64})$/);
    expect(name.length).toBeLessThanOrEqual(240);
  }
  expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(oddIds.length);
});

test("FILE-1 any run id comes back from its folder's name, unless that is a digest", { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), (runId) => {
      if (/\p{Surrogate}/u.test(runId)) return;
      const name = nameOf(runId);
      expect(name).toMatch(/^(id-[a-z0-9_%-]+|sha256-[0-9a-f]{64})$/);
      expect(runIdOfName(name)).toBe(name.startsWith("id-") ? runId : undefined);
    }),
  );
});

test("FILE-1 a folder's name that no run id has is not taken for a run", () => {
  for (const name of ["id-", "id-%", "id-%4", "id-%41x%zz", "id-A", "id-%61", "order", "sha256-0", "id-%ff"]) {
    expect(runIdOfName(name)).toBe(undefined);
  }
});

test("FILE-1 runs with odd ids are kept apart, listed under their ids and deleted", { timeout: 300_000 }, async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  for (const runId of oddIds) {
    const { record, changes } = firstRecord(runId, { version: `of ${runId}` });
    const session = await store.acquire(runId);
    await session.save(record, 0, changes);
    await session.close();
  }
  expect(await readdir(join(place.folder, ".."))).toContain(place.folder.split("/").at(-1));
  expect((await readdir(place.folder)).sort()).toEqual(["contents", "locks", "new", "pulse-filestore", "runs"]);
  for (const runId of oddIds) expect((await store.catalog.read(runId)).header.version).toBe(`of ${runId}`);
  const { runs } = await store.catalog.list();
  expect(runs.map((run) => run.runId)).toEqual([...oddIds].sort());
  for (const runId of oddIds) await store.catalog.delete(runId);
  expect(await readdir(join(place.folder, "runs"))).toEqual([]);
});

test("FILE-1 a run id that cannot be kept is refused, and nothing is made on disk", async () => {
  await using place = await openPlace();
  const store = fileStore({ folder: join(place.folder, "store") });
  for (const runId of ["", "\ud800", "a\udc00b", "x".repeat(runIdLengthMax + 1)]) {
    const refusals = [() => store.acquire(runId), () => store.catalog.read(runId), () => store.catalog.delete(runId)];
    for (const refused of refusals) {
      const error = await rejectionOf("PULSE_INVALID", refused());
      expect(error.details.problems.map(({ code, path }) => [code, path])).toEqual([["PULSE_OPTION_INVALID", "runId"]]);
      expect(error.message.length).toBeLessThan(400);
    }
  }
  // @ts-expect-error: what a JavaScript user may do
  await rejectionOf("PULSE_INVALID", store.acquire(undefined));
  expect(await readdir(place.folder)).toEqual([]);
});

test("FILE-3 names in a run's folder are sorted by number, and those of another incarnation do not count", () => {
  const names = [
    "journal-00000000000000aa-10",
    "journal-00000000000000aa-9",
    "snapshot-00000000000000aa-7-8",
    "snapshot-00000000000000aa-12-9",
    "run-00000000000000aa",
    "journal-00000000000000bb-99",
    "notes.txt",
  ];
  const listing = sortNames(names);
  expect(listing).toMatchObject({ incarnation: "00000000000000aa", epochs: [9, 10], newestEpoch: 10 });
  expect(listing?.snapshots.map(({ revision }) => revision)).toEqual([7, 12]);
  expect(sortNames(names.filter((name) => !name.startsWith("run-")))).toBe(undefined);
});
