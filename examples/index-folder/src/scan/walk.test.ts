import { symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "../testing/sample-folder.ts";
import { folderAt, walk } from "./walk.ts";

test("text and Markdown are listed by path, whatever the order on the disk", async () => {
  const folder = await folderWith({
    "b.txt": "two",
    "a/z.md": "# Z",
    "a/B.MD": "",
    "picture.png": "",
    ".hidden/x.md": "",
    "node_modules/p/readme.md": "",
    "own/run.txt": "",
  });
  await symlink(join(folder, "b.txt"), join(folder, "c.txt"));
  const listing = await walk(folder, { leaveOut: [join(folder, "own")] });
  expect(listing.files.map(({ path, bytes, readable }) => [path, bytes, readable])).toEqual([
    ["a/B.MD", 0, true],
    ["a/z.md", 3, true],
    ["b.txt", 3, true],
  ]);
  expect(listing.otherFiles).toBe(2);
  expect(await walk(folder, { leaveOut: [join(folder, "own")] })).toEqual(listing);
});

test("a file that was written again makes another listing, of equal size too", async () => {
  const folder = await folderWith({ "a.md": "one" });
  const before = await walk(folder, { leaveOut: [] });
  await utimes(join(folder, "a.md"), 1_000, 1_000);
  expect(await walk(folder, { leaveOut: [] })).not.toEqual(before);
});

test("a folder that is missing, is a file, or holds no text is refused in words", async () => {
  const folder = await folderWith({ "a.png": "" });
  await expect(folderAt(join(folder, "nowhere"))).rejects.toThrow(/^there is no folder .*nowhere\. .*--help/u);
  await expect(folderAt(join(folder, "a.png"))).rejects.toThrow(
    /a\.png is a file; name the folder that it lies in\. .*--help/u,
  );
  await expect(folderAt(join(folder, "a.png", "x"))).rejects.toThrow(/a part of that path is a file\. .*--help/u);
  await expect(walk(folder, { leaveOut: [] })).rejects.toThrow(/holds no text or Markdown file/u);
});
