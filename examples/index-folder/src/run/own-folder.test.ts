import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../problem.ts";
import { temporaryFolder } from "../testing/sample-folder.ts";
import { ownFolder, writeWhole } from "./own-folder.ts";

test("a folder is made with all above it, and taken away again as far as it is empty", async () => {
  const base = await temporaryFolder();
  const folder = await ownFolder(join(base, "a", "b", "c"), "the report");
  expect(folder.path).toBe(join(base, "a", "b", "c"));
  const beside = await ownFolder(join(base, "a", "b", "d"), "the report");
  await folder.removeIfEmpty();
  expect(await readdir(join(base, "a", "b"))).toEqual(["d"]);
  await beside.removeIfEmpty();
  await (await ownFolder(join(base, "a", "b"), "the report")).removeIfEmpty();
  expect(await readdir(base)).toEqual(["a"]);
});

test("what was there before, or holds something, stays", async () => {
  const base = await temporaryFolder();
  const folder = await ownFolder(join(base, "new"), "the report");
  await writeWhole(folder.path, "x", "text");
  await folder.removeIfEmpty();
  await (await ownFolder(base, "the report")).removeIfEmpty();
  expect(await readdir(join(base, "new"))).toEqual(["x"]);
});

test("a link to nothing is called that, itself or above", async () => {
  const base = await temporaryFolder();
  const link = join(base, "link");
  await symlink("nowhere", link);
  const refused = ownFolder(link, "the report");
  await expect(refused).rejects.toThrow(
    `the report cannot be kept in ${link}: it is a link to nowhere, and nothing is there (ENOENT)`,
  );
  await expect(refused).rejects.toBeInstanceOf(Problem);
  await expect(ownFolder(join(link, "below"), "the report")).rejects.toThrow(`${link} is a link to nowhere`);
});

test("links in a circle are told with the system's code", async () => {
  const base = await temporaryFolder();
  await symlink("b", join(base, "a"));
  await symlink("a", join(base, "b"));
  await expect(ownFolder(join(base, "a"), "the report")).rejects.toThrow("links lead in a circle (ELOOP)");
});

// Only Linux has a file system of this kind; elsewhere the path is one that can be made or is refused like any other.
test.runIf(process.platform === "linux")("a place where the system makes no folders is refused at once", async () => {
  await expect(ownFolder("/proc/pulse-reports/deep", "the report")).rejects.toThrow(
    /^the report cannot be kept in \/proc\/pulse-reports\/deep: .* \((?:ENOENT|EACCES|EPERM|EROFS)\)$/u,
  );
});
