import { attach, run } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { equipment } from "../run/equipment.ts";
import { diskReader } from "../scan/read-text.ts";
import type { FileReader } from "../scan/read-text.ts";
import { walk } from "../scan/walk.ts";
import { folderWith, sampleFiles } from "../testing/sample-folder.ts";
import { readTriesMax } from "./chunk-graph.ts";
import { indexGraph } from "./index-graph.ts";

async function indexInMemory(folder: string, chunks: number, reader: FileReader = diskReader) {
  const listing = await walk(folder, { leaveOut: [] });
  const outcome = await run(
    indexGraph(chunks),
    { folder, title: "harbour", listing },
    {
      attachments: [attach(equipment, { reader })],
    },
  );
  return outcome.values;
}

test("a folder becomes a table, an index and two reports", async () => {
  const folder = await folderWith(sampleFiles);
  const { catalogue, index, json, html } = await indexInMemory(folder, 3);
  expect(catalogue.files.map(({ path, title }) => [path, title])).toEqual([
    ["guide/deep/lights.md", "Lights"],
    ["guide/pilot.md", "The pilot"],
    ["guide/tide.txt", "tide.txt"],
    ['notes/<b>odd & "name".md', "<script>alert(1)</script>"],
    ["notes/empty.txt", "empty.txt"],
    ["notes/港.md", "港"],
    ["readme.md", "The harbour"],
  ]);
  expect(catalogue.skipped).toEqual([
    { path: "notes/data.txt", reason: "binary data, no text" },
    { path: "notes/latin.txt", reason: "not valid UTF-8" },
  ]);
  expect(new Map(index.postings).get("tide")).toEqual([
    [1, 1],
    [2, 3],
    [6, 1],
  ]);
  expect(JSON.parse(json).totals).toMatchObject({ files: 7, skipped: 2, otherFiles: 1 });
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

test("the reports do not depend on the number of chunks, more chunks than files included", async () => {
  const folder = await folderWith(sampleFiles);
  const [one, three, many] = await Promise.all([1, 3, 20].map((chunks) => indexInMemory(folder, chunks)));
  expect([three?.json, three?.html]).toEqual([one?.json, one?.html]);
  expect([many?.json, many?.html]).toEqual([one?.json, one?.html]);
});

test("CORE-16 a file that changes while it is read is read again, whole", async () => {
  const folder = await folderWith({ "a.md": "one two" });
  let reads = 0;
  const restless: FileReader = {
    read: diskReader.read,
    state: async (path) => {
      reads += 1;
      // Another state at each of the first four looks: two tries fail.
      return reads <= 4 ? { bytes: 7, modified: String(reads) } : await diskReader.state(path);
    },
  };
  expect((await indexInMemory(folder, 1, restless)).catalogue.words).toBe(2);
  expect(reads).toBe(6);
});

test("CORE-16 a file that never comes to rest fails the run when its tries are used up, by path", async () => {
  const folder = await folderWith({ "a.md": "one two" });
  let looks = 0;
  const neverTheSame: FileReader = {
    read: diskReader.read,
    state: () => Promise.resolve({ bytes: 7, modified: String(looks++) }),
  };
  await expect(indexInMemory(folder, 1, neverTheSame)).rejects.toMatchObject({
    code: "PULSE_EXECUTION_FAILED",
    cause: { message: "a.md changed while it was read" },
  });
  expect(looks).toBe(2 * readTriesMax);
});
