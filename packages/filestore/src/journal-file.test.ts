import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { JournalFile } from "./journal-file.ts";
import { realPlatform } from "./platform.ts";
import type { Step } from "./steps.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { fakeProcesses, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order", { nodesMax: 4, valueBytes: 2_000 });

async function emptyFile(folder: string): Promise<string> {
  const path = join(folder, "journal");
  await writeFile(path, "head\n");
  return path;
}

test("STORE-4 FILE-6 a journal gets room in advance once it is long, and is cut to its lines in the end", async () => {
  await using place = await openPlace();
  const path = await emptyFile(place.folder);
  const platform = faultyPlatform(() => undefined);
  const journal = await JournalFile.open(platform, path, 20);
  await journal.append(Buffer.from("short\n"));
  expect(await readFile(path, "latin1")).toBe("head\nshort\n");
  await journal.append(Buffer.from("a longer line\n"));
  expect((await stat(path)).size).toBe(25 + 4_096);
  await journal.append(Buffer.from("in the room\n"));
  expect(await readFile(path, "latin1")).toMatch(/^head\nshort\na longer line\nin the room\n\0{4084}$/);
  // Beyond the room: it grows, and gets some again.
  await journal.append(Buffer.from(`${"x".repeat(5_000)}\n`));
  expect((await stat(path)).size).toBe(37 + 5_001 + 5_038);
  await journal.finish(Buffer.from("close\n"));
  await journal.close();
  expect(await readFile(path, "latin1")).toMatch(/^head\nshort\na longer line\nin the room\nx{5000}\nclose\n$/);
  const appended: Step[] = ["journal-append", "journal-sync"];
  const extended: Step[] = ["journal-append", "journal-extend", "journal-sync"];
  const ended: Step[] = ["journal-cut", "journal-close"];
  expect(platform.steps).toEqual([...appended, ...extended, ...appended, ...extended, ...ended]);
});

test("FILE-6 a disk without room for more takes the line all the same; what else goes wrong is told", async () => {
  for (const code of ["ENOSPC", "EDQUOT", "EFBIG"]) {
    await using place = await openPlace();
    const path = await emptyFile(place.folder);
    const platform = faultyPlatform((step) => (step === "journal-extend" ? { kind: "cut", code } : undefined));
    const journal = await JournalFile.open(platform, path, 0);
    await journal.append(Buffer.from("one\n"));
    // Half of the room was written: what was taken is given back, for the next line.
    expect(await readFile(path, "latin1")).toBe("head\none\n");
    await journal.append(Buffer.from("two\n"));
    await journal.finish(Buffer.from("close\n"));
    await journal.close();
    expect(await readFile(path, "latin1")).toBe("head\none\ntwo\nclose\n");
  }
  await using place = await openPlace();
  const path = await emptyFile(place.folder);
  const failing = faultyPlatform((step) => (step === "journal-extend" ? { kind: "fail", code: "EIO" } : undefined));
  const journal = await JournalFile.open(failing, path, 0);
  await expect(journal.append(Buffer.from("one\n"))).rejects.toMatchObject({ code: "EIO" });
  await journal.close();
});

test("FILE-2 STORE-6 the room behind the last line of a killed owner is no line: it is read, taken over and folded", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const roomFrom = 0;
  const first = await openFileStore(place, { ...processes.parts(1), roomFrom }).acquire("order");
  await saveUpTo(first, history, 0, 10);
  const path = await onlyFile(place.folder, "id-order", "journal-");
  expect((await readFile(path)).at(-1)).toBe(0);
  // Somebody reads while it lives.
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(10));
  processes.kill(1);
  const second = await openFileStore({ ...place, foldBytesMin: 0 }, { ...processes.parts(2), roomFrom }).acquire(
    "order",
  );
  expect(await second.load()).toEqual(history.at(10));
  await saveUpTo(second, history, 10, 12);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(12));
  await second.close();
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(12));
  const last = await readFile(await onlyFile(place.folder, "id-order", "journal-"), "latin1");
  expect(last).toMatch(/ close 12\n$/);
  await first.close();
});

test("FILE-2 a line that was begun in the room and never ended was never written; anything after it is damage", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const store = openFileStore(place, { ...processes.parts(1), roomFrom: 0, platform: realPlatform });
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 5);
  processes.kill(1);
  const path = await onlyFile(place.folder, "id-order", "journal-");
  const bytes = await readFile(path);
  const end = bytes.indexOf(0);
  // The beginning of the next save, as a write that was cut short leaves it.
  bytes.write("0123abcd save 6 2\theader {", end, "latin1");
  await writeFile(path, bytes);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(5));
  bytes.write("\n0123abcd save 7 1\n", end + 40, "latin1");
  await writeFile(path, bytes);
  await expect(fileStore(place).catalog.read("order")).rejects.toMatchObject({ code: "PULSE_CORRUPT" });
  await session.close();
});

test("FILE-2 a line of which a power loss left the end, or one that ended the journal, may stand before room", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const session = await openFileStore(place, { ...processes.parts(1), roomFrom: 0 }).acquire("order");
  await saveUpTo(session, history, 0, 5);
  const path = await onlyFile(place.folder, "id-order", "journal-");
  const upToFive = await readFile(path);
  const end = upToFive.indexOf(0);
  await saveUpTo(session, history, 5, 6);
  const upToSix = await readFile(path);
  await session.close();
  const closed = await readFile(path);
  const room = Buffer.alloc(4_096);

  // The save was never confirmed: of its blocks the last one alone reached the disk.
  await writeFile(path, Buffer.concat([upToFive.subarray(0, end), room.subarray(0, 200), upToSix.subarray(end + 200)]));
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(5));
  // The cut did not reach the disk, the line after it did.
  await writeFile(path, Buffer.concat([closed, room]));
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(6));
  await writeFile(path, Buffer.concat([closed, room, Buffer.from("x")]));
  await expect(fileStore(place).catalog.read("order")).rejects.toMatchObject({ code: "PULSE_CORRUPT" });
});

test("FILE-4 REC-24 a run whose entries are all still needed is not folded, however long; one with old entries is", async () => {
  for (const [nodesMax, snapshots] of [
    [1_000, 0],
    [2, 1],
  ] as const) {
    await using place = await openPlace();
    const told = historyOf("order", { nodesMax, valueBytes: 500 });
    const session = await openFileStore({ ...place, foldBytesMin: 1_000 }, {}).acquire("order");
    await saveUpTo(session, told, 0, 100);
    await session.close();
    const runs = await fileStore(place).catalog.read("order");
    expect(runs).toEqual(told.at(100));
    expect(await snapshotsIn(place.folder)).toBe(snapshots);
  }
});

async function snapshotsIn(folder: string): Promise<number> {
  const names = await readdir(join(folder, "runs", "id-order"));
  return names.filter((name) => name.startsWith("snapshot-")).length;
}
