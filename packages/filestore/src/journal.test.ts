import { readFile, truncate, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { line } from "./line.ts";
import { fileStore, openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { everythingIn, fakeProcesses, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order");

/** A store with a run that its owner saved so often, and did not close: its last line is a save. */
async function openJournal(saves: number) {
  const place = await openPlace();
  const processes = fakeProcesses();
  const session = await openFileStore(place, processes.parts(1)).acquire("order");
  await saveUpTo(session, history, 0, saves);
  const journal = await onlyFile(place.folder, "id-order", "journal-");
  const bytes = await readFile(journal);
  await session.close();
  await writeFile(journal, bytes);
  return { place, journal, store: openFileStore(place, processes.parts(2)), bytes };
}

/** Where each line of a file begins, and where the file ends. */
function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

test("FILE-2 KIT-6 a last line torn at any byte was never confirmed and is dropped", async () => {
  const { place, journal, store, bytes } = await openJournal(3);
  await using _ = place;
  const lastLine = lineStarts(bytes).at(-2) ?? 0;
  for (let length = lastLine; length < bytes.length; length += 1) {
    await writeFile(journal, bytes.subarray(0, length));
    expect(await store.catalog.read("order")).toEqual(history.at(2));
  }
  await writeFile(journal, bytes);
  expect(await store.catalog.read("order")).toEqual(history.at(3));
});

test("FILE-2 a last line of which a block never reached the disk, and reads as zeros, is torn as well", async () => {
  const { place, journal, store, bytes } = await openJournal(3);
  await using _ = place;
  const lastLine = lineStarts(bytes).at(-2) ?? 0;
  await writeFile(journal, Buffer.from(bytes).fill(0, lastLine + 10, lastLine + 60));
  expect(await store.catalog.read("order")).toEqual(history.at(2));
  await writeFile(journal, Buffer.from(bytes).fill(0, lastLine));
  expect(await store.catalog.read("order")).toEqual(history.at(2));
});

test("FILE-2 the run goes on after a torn line, and the torn line stays without effect", async () => {
  const { place, journal, store, bytes } = await openJournal(3);
  await using _ = place;
  await truncate(journal, bytes.length - 5);
  const session = await store.acquire("order");
  expect(await session.load()).toEqual(history.at(2));
  await saveUpTo(session, history, 2, 5);
  await session.close();
  expect(await store.catalog.read("order")).toEqual(history.at(5));
});

test("FILE-2 damage of any byte but in a torn last line is corrupt, names file and line, and changes nothing", async () => {
  const { place, journal, store, bytes } = await openJournal(3);
  await using _ = place;
  const starts = lineStarts(bytes);
  // Every seventh byte, and the first and last of each line.
  const places = new Set(starts.slice(0, -1).flatMap((start, line) => [start, (starts[line + 1] ?? 0) - 2]));
  for (let at = 0; at < bytes.length; at += 7) places.add(at);
  for (const at of places) {
    if (bytes[at] === 0x0a) continue;
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(journal, damaged);
    const line = starts.findLastIndex((start) => start <= at) + 1;
    const before = await everythingIn(place.folder);
    const error = await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"));
    expect(error.details).toMatchObject({ runId: "order", where: `${journal}:${line}`, next: "restore-backup" });
    expect(await everythingIn(place.folder)).toEqual(before);
  }
});

test("FILE-2 load finds the same damage, and the files stay as they were", async () => {
  const { place, journal, store, bytes } = await openJournal(3);
  await using _ = place;
  const damaged = Buffer.from(bytes);
  const second = lineStarts(bytes)[2] ?? 0;
  damaged[second + 80] = (damaged[second + 80] ?? 0) ^ 1;
  await writeFile(journal, damaged);
  const session = await store.acquire("order");
  const error = await rejectionOf("PULSE_CORRUPT", session.load());
  expect(error.details.where).toBe(`${journal}:3`);
  await rejectionOf("PULSE_CORRUPT", session.save(history.at(4), 3, history.changesTo(4)));
  await session.close();
  expect(await readFile(journal)).toEqual(damaged);
});

test("FILE-2 a line that was cut out, doubled or moved is found by its revision", async () => {
  const { place, journal, store, bytes } = await openJournal(4);
  await using _ = place;
  const lines = bytes.toString().split("\n");
  const [head = "", one = "", two = "", three = "", four = ""] = lines;
  for (const kept of [
    [head, one, three, four],
    [head, two, three, four],
    [head, one, three, two, four],
  ]) {
    await writeFile(journal, `${kept.join("\n")}\n`);
    expect((await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"))).message).toContain("is missing");
  }
});

test("FILE-2 REC-15 bytes that are no UTF-8 and unpaired surrogates are refused, although their checksum fits", async () => {
  const { place, journal, store, bytes } = await openJournal(1);
  await using _ = place;
  const head = bytes.subarray(0, bytes.indexOf("\n") + 1);
  const save = (text: string | Uint8Array): Buffer => Buffer.concat([head, line(["save 1 1\theader ", text])]);
  await writeFile(journal, save(String.raw`{"runId":"\ud800"}`));
  await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"));
  await writeFile(journal, Buffer.concat([save(Buffer.from('{"runId":"\u00e9"}', "latin1")), line(["close 1"])]));
  const error = await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"));
  expect(error.details.where).toContain(`${journal}:2`);
  expect(error.message).toContain("no UTF-8");
});

test("FILE-2 a journal of another run is refused", async () => {
  const { place, journal, store, bytes } = await openJournal(1);
  await using _ = place;
  const other = await store.acquire("other");
  await saveUpTo(other, historyOf("other"), 0, 1);
  await other.close();
  const foreign = await readFile(await onlyFile(place.folder, "id-other", "journal-"));
  await writeFile(journal, foreign);
  expect((await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"))).message).toContain('run "other"');
  await rejectionOf("PULSE_CORRUPT", store.acquire("order"));
  await writeFile(journal, bytes);
  expect(await store.catalog.read("order")).toEqual(history.at(1));
});

test("STORE-9 a journal of a newer format is refused, whatever its lines look like, and nothing is written", async () => {
  const { place, journal, store, bytes } = await openJournal(2);
  await using _ = place;
  for (const newer of [
    bytes.toString().replace("pulse-journal/1 ", "pulse-journal/2 "),
    "pulse-journal/7 {lines of another kind}\nmore\n",
  ]) {
    await writeFile(journal, newer);
    const before = await everythingIn(place.folder);
    for (const refused of [
      () => store.acquire("order"),
      () => store.catalog.read("order"),
      () => store.catalog.delete("order"),
    ]) {
      const error = await rejectionOf("PULSE_NEWER_FORMAT", refused());
      expect(error.details).toMatchObject({ runId: "order", next: "newer-package", supported: 1 });
    }
    expect(await everythingIn(place.folder)).toEqual(before);
  }
});

test("STORE-9 REC-16 a record of a newer format is refused, and nothing is written", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const session = await store.acquire("order");
  const [header, ...others] = history.changesTo(1);
  if (header?.kind !== "put") throw new Error("the first change puts the header");
  const newer = { ...header.entry, format: 3 } as typeof header.entry;
  await session.save(history.at(1), 0, [{ ...header, entry: newer }, ...others]);
  await session.close();
  const before = await everythingIn(place.folder);
  const next = await store.acquire("order");
  expect((await rejectionOf("PULSE_NEWER_FORMAT", next.load())).details.found).toBe(3);
  await next.close();
  expect(await everythingIn(place.folder)).toEqual(before);
  const { runs } = await store.catalog.list();
  expect(runs[0]?.problem).toContain("format 3");
});
