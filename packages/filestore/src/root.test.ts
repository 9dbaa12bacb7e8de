import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { everythingIn, openPlace } from "./testing/place.ts";

test("FILE-7 network file systems are refused by name, and nothing is made", async () => {
  await using place = await openPlace();
  const types = {
    NFS: 0x6969,
    CIFS: 0xff534d42,
    SMB2: 0xfe534d42,
    "9P": 0x01021997,
    Ceph: 0x00c36400,
    Lustre: 0x0bd00bd0,
  };
  for (const [name, type] of Object.entries(types)) {
    // Some systems give the number with its sign.
    for (const told of [type, type | 0]) {
      const platform = { ...realPlatform, fileSystemType: async () => told };
      const store = openFileStore({ folder: join(place.folder, "new", "store") }, { platform });
      const error = await rejectionOf("PULSE_STORE", store.acquire("order"));
      expect(error.message).toContain(name);
      expect(error.message).toContain("local disk");
    }
  }
  expect(await readdir(place.folder)).toEqual([]);
});

test("FILE-7 a file system without hard links is refused", async () => {
  for (const code of ["EPERM", "ENOTSUP", "ENOSYS"]) {
    await using place = await openPlace();
    const platform = {
      ...realPlatform,
      link: faultyPlatform(() => ({ kind: "fail", code })).link,
    };
    const error = await rejectionOf("PULSE_STORE", openFileStore(place, { platform }).acquire("order"));
    expect(error.message).toContain("hard links");
    expect(error.details.systemCode).toBe(code);
    expect(await readdir(join(place.folder, "runs"))).toEqual([]);
  }
});

test("STORE-9 a store of a newer layout is refused by every call, and nothing is written", async () => {
  await using place = await openPlace();
  await writeFile(join(place.folder, "pulse-filestore"), "pulse-filestore/2\n");
  const store = fileStore(place);
  const before = await everythingIn(place.folder);
  const calls = [
    () => store.acquire("order"),
    () => store.catalog.list(),
    () => store.catalog.count(),
    () => store.catalog.read("order"),
    () => store.catalog.delete("order"),
  ];
  for (const call of calls) {
    const error = await rejectionOf("PULSE_NEWER_FORMAT", call());
    expect(error.details).toMatchObject({ found: 2, supported: 1, next: "newer-package" });
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("STORE-9 a mark that another program wrote is refused; an empty one, left by a loss of power, is written anew", async () => {
  await using place = await openPlace();
  const mark = join(place.folder, "pulse-filestore");
  await writeFile(mark, "something else\n");
  const store = fileStore(place);
  for (const call of [() => store.acquire("order"), () => store.catalog.read("order"), () => store.catalog.list()]) {
    const error = await rejectionOf("PULSE_STORE", call());
    expect(error.message.endsWith(`; at ${mark}`)).toBe(true);
    expect(error.details.medium).toBe(mark);
  }
  await writeFile(mark, "");
  await (await fileStore(place).acquire("order")).close();
  expect((await realPlatform.readSmall(mark)) ?? "").toBe("pulse-filestore/1\n");
});

test("FILE-7 options that cannot be are refused when the store is made, each by name", () => {
  const wrong: readonly (readonly [Parameters<typeof fileStore>[0], string])[] = [
    [{ folder: "" }, "folder"],
    [{ folder: "a\0b" }, "folder"],
    [{ folder: "x", staleMs: 1_999 }, "staleMs"],
    [{ folder: "x", staleMs: Number.NaN }, "staleMs"],
    [{ folder: "x", foldBytesMin: -1 }, "foldBytesMin"],
    [{ folder: "x", foldBytesMin: 0.5 }, "foldBytesMin"],
  ];
  for (const [options, path] of wrong) {
    expect(() => fileStore(options)).toThrow(
      expect.objectContaining({ code: "PULSE_INVALID", details: { problems: [expect.objectContaining({ path })] } }),
    );
  }
});

test("FILE-4 what a process that ended left unpublished is swept up when it is old, and not before", async () => {
  await using place = await openPlace();
  await (await fileStore(place).acquire("order")).close();
  const staged = join(place.folder, "new");
  await mkdir(join(staged, "old folder"));
  for (const name of ["old folder/journal", "old", "young"]) await writeFile(join(staged, name), "");
  for (const name of ["old folder/journal", "old folder", "old"]) await utimes(join(staged, name), 1, 1);
  await (await fileStore(place).acquire("order")).close();
  expect(await readdir(staged)).toEqual(["young"]);
});
