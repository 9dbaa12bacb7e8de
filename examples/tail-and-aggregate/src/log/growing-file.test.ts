import { appendFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../problem.ts";
import { temporaryFolder } from "../testing/sample-log.ts";
import type { Place } from "../values.ts";
import { lineBytesMax, portionsFrom } from "./growing-file.ts";
import type { ReadOptions } from "./growing-file.ts";

const { signal } = new AbortController();
const toEnd: ReadOptions = { follow: false, linesMax: 2, signal };

async function logWith(text: string): Promise<string> {
  const path = join(await temporaryFolder(), "access.log");
  await writeFile(path, text);
  return path;
}

async function all(path: string, from?: Place, options: ReadOptions = toEnd) {
  const found: { readonly lines: readonly string[]; readonly last: boolean; readonly place: Place }[] = [];
  for await (const { portion, place } of portionsFrom(path, from, options)) found.push({ ...portion, place });
  return found;
}

const problemOf = async (reading: Promise<unknown>): Promise<string> =>
  await reading.then(
    () => "",
    (error: unknown) => (error instanceof Problem ? error.message : `no problem: ${String(error)}`),
  );

test("a file is read in portions, the last of which says so; from any place on the rest is the same", async () => {
  const path = await logWith("one\ntwo\r\nthree\nünf\nhalf");
  const portions = await all(path);
  expect(portions.map(({ lines, last }) => [lines, last])).toEqual([
    [["one", "two"], false],
    [["three", "ünf"], false],
    [["half"], true],
  ]);
  for (const [at, { place }] of portions.entries()) expect(await all(path, place)).toEqual(portions.slice(at + 1));
});

test("lines longer than what is read at once are whole, and longer than a line may be are refused", async () => {
  const long = "x".repeat(200_000);
  expect((await all(await logWith(`${long}\n`)))[0]?.lines).toEqual([long]);
  expect(await problemOf(all(await logWith("y".repeat(lineBytesMax + 1))))).toContain("the line at byte 0");
});

test("while it follows, a half line waits for its end, and the end comes when the file is replaced", async () => {
  const path = await logWith("one\nha");
  const reading = portionsFrom(path, undefined, { ...toEnd, follow: true });
  expect((await reading.next()).value?.portion).toEqual({ lines: ["one"], last: false });
  await appendFile(path, "lf\n");
  expect((await reading.next()).value?.portion).toEqual({ lines: ["half"], last: false });
  await rename(path, `${path}.1`);
  await appendFile(`${path}.1`, "late\n");
  await writeFile(path, "of the new one\n");
  expect((await reading.next()).value?.portion).toEqual({ lines: ["late"], last: true });
  expect(await reading.next()).toEqual({ done: true, value: undefined });
});

test("a file that is gone, truncated, or another one than before is refused with what helps", async () => {
  const path = await logWith("one\ntwo\nthree\n");
  const [first] = await all(path);
  expect(first?.place.bytes).toBe(8);
  await writeFile(path, "eins\nzwei\ndrei\n");
  expect(await problemOf(all(path, first?.place))).toMatch(/is another file by now.*--fresh/u);
  await truncate(path, 3);
  expect(await problemOf(all(path, first?.place))).toMatch(/was truncated: it has 3 bytes, and 8 have been counted/u);
  expect(await problemOf(all(`${path}.no`))).toMatch(/there is no such file/u);
  expect(await problemOf(all(join(path, "..")))).toMatch(/is no file/u);
});
