import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { everythingIn, fakeProcesses, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order");

/** A run that its owner saved three times; `closed` in order, or its process was killed. */
async function savedRun(end: "closed" | "killed", foldBytesMin = 65_536) {
  const place = await openPlace();
  const processes = fakeProcesses();
  const session = await openFileStore({ ...place, foldBytesMin }, processes.parts(1)).acquire("order");
  await saveUpTo(session, history, 0, 3);
  if (end === "closed") await session.close();
  processes.kill(1);
  return { place, store: openFileStore(place, processes.parts(2)), session };
}

/** The code that taking and reading the run ends with, after which every file is as it was. */
async function expectCorrupt({ place, store }: Awaited<ReturnType<typeof savedRun>>, where: string): Promise<void> {
  const before = await everythingIn(join(place.folder, "runs"));
  for (let round = 0; round < 2; round += 1) {
    const error = await rejectionOf(
      "PULSE_CORRUPT",
      store.acquire("order").then(async (session) => {
        try {
          return await session.load();
        } finally {
          await session.close();
        }
      }),
    );
    expect(error.details).toMatchObject({ runId: "order", next: "restore-backup" });
    expect(error.details.where).toContain(where);
    expect((await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"))).details.where).toBe(error.details.where);
  }
  expect(await everythingIn(join(place.folder, "runs"))).toEqual(before);
}

for (const end of ["closed", "killed"] as const) {
  test(`FILE-2 a load that is refused leaves every file as it was, the owner before having been ${end}`, async () => {
    const run = await savedRun(end);
    await using _ = run.place;
    const journal = await onlyFile(run.place.folder, "id-order", "journal-");
    const bytes = await readFile(journal);
    bytes[bytes.indexOf("\n") + 60] = 0x21;
    await writeFile(journal, bytes);
    await expectCorrupt(run, `${journal}:2`);
    await run.session.close();
  });
}

test("FILE-2 a session that closes without having read anything leaves every file as it was", async () => {
  const { place, store, session } = await savedRun("killed");
  await using _ = place;
  const before = await everythingIn(join(place.folder, "runs"));
  await (await store.acquire("order")).close();
  expect(await everythingIn(join(place.folder, "runs"))).toEqual(before);
  await session.close();
});

test("FILE-2 D8 a run that lost its mark is damaged: it is neither missing nor deleted, and the mark heals it", async () => {
  const run = await savedRun("closed");
  await using _ = run.place;
  const mark = await onlyFile(run.place.folder, "id-order", "run-");
  await rm(mark);
  await expectCorrupt(run, mark);
  const { message } = await rejectionOf("PULSE_CORRUPT", fileStore(run.place).catalog.read("order"));
  expect(message).toContain(`make ${basename(mark)} anew, as an empty file`);
  expect(message).not.toContain("backup");
  await writeFile(mark, "");
  expect(await run.store.catalog.read("order")).toEqual(history.at(3));
});

test("FILE-2 D8 a deleted run whose removal was cut short anywhere is no damage: it is gone, and its id is free", async () => {
  for (let cut = 0; cut < 6; cut += 1) {
    const { place, session } = await savedRun("closed", 0);
    await using _ = place;
    await session.close();
    let removals = 0;
    const platform = faultyPlatform((step) =>
      (step === "old-file-remove" || step === "run-remove") && removals++ >= cut
        ? { kind: "fail", code: "EIO" }
        : undefined,
    );
    await openFileStore(place, { platform })
      .catalog.delete("order")
      .catch(() => undefined);
    expect(removals).toBeGreaterThan(0);
    const store = fileStore(place);
    await rejectionOf("PULSE_NOT_FOUND", store.catalog.read("order"));
    const next = await store.acquire("order");
    await saveUpTo(next, history, 0, 1);
    await next.close();
    expect(await store.catalog.read("order")).toEqual(history.at(1));
  }
});

test("FILE-2 FILE-4 a snapshot that is gone with all that was in it is missed", async () => {
  const run = await savedRun("closed", 0);
  await using _ = run.place;
  await rm(await onlyFile(run.place.folder, "id-order", "snapshot-"));
  await expectCorrupt(run, join("runs", "id-order"));
});

test("FILE-2 a journal that its owner closed tells when its last save was cut out, and when something stands after its end", async () => {
  const run = await savedRun("closed");
  await using _ = run.place;
  const journal = await onlyFile(run.place.folder, "id-order", "journal-");
  const lines = (await readFile(journal, "utf8")).split("\n");
  const [head = "", one = "", two = "", three = "", close = ""] = lines;
  for (const [kept, where] of [
    [[head, one, two, close], journal],
    [[head, one, two, close, three], `${journal}:5`],
    [[head, one, two, three, close, close], `${journal}:6`],
    [[head, one, two, two, three, close], `${journal}:4`],
    [[head, one, two, three, one, close], `${journal}:5`],
  ] as const) {
    await writeFile(journal, `${kept.join("\n")}\n`);
    await expectCorrupt(run, where);
  }
});

test("FILE-2 an end that no torn write leaves is damage", async () => {
  const run = await savedRun("killed");
  await using _ = run.place;
  const journal = await onlyFile(run.place.folder, "id-order", "journal-");
  const bytes = await readFile(journal);
  for (const [text, at] of [
    ["garbage", bytes.length],
    [`${"0".repeat(8)} zap {`, bytes.length],
  ] as const) {
    await writeFile(journal, Buffer.concat([bytes.subarray(0, at), Buffer.from(text)]));
    await expectCorrupt(run, `${journal}:5`);
  }
  await writeFile(journal, "garbage");
  await expectCorrupt(run, `${journal}:1`);
  // What a torn write does leave.
  for (const torn of [
    "0",
    "0".repeat(8),
    `${"0".repeat(8)} s`,
    `${"0".repeat(8)} save 4`,
    `${"0".repeat(8)} save 4 1\theader`,
  ]) {
    await writeFile(journal, Buffer.concat([bytes, Buffer.from(torn)]));
    expect(await run.store.catalog.read("order")).toEqual(history.at(3));
  }
  await run.session.close();
});

test("FILE-6 files that are removed under their owner are a failed store and nobody else's ownership", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  for (const removed of [["runs"], ["runs", "id-order"], []]) {
    const session = await store.acquire("order");
    await saveUpTo(session, history, 0, 1);
    await rename(join(place.folder, ...removed), `${place.folder}-away`);
    const error = await rejectionOf("PULSE_STORE", saveUpTo(session, history, 1, 2));
    expect(error.details).toMatchObject({ runId: "order", next: "mend-store" });
    expect(error.message).toContain("files are gone");
    await session.close();
    await rm(`${place.folder}-away`, { recursive: true });
  }
});

test("FILE-6 folders of the store that were empty and got lost are made anew, by the same store and by another", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  await session.close();
  for (const other of [store, fileStore(place)]) {
    for (const name of ["locks", "new"]) await rm(join(place.folder, name), { recursive: true });
    const next = await other.acquire("order");
    expect(await next.load()).toEqual(history.at(1));
    await next.close();
  }
});
