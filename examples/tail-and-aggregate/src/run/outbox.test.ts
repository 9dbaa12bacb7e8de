import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/sample-log.ts";
import { outboxIn } from "./outbox.ts";

test("the same key writes nothing twice, and half a file of a crash is none", async () => {
  const folder = join(await temporaryFolder(), "box");
  const box = outboxIn(folder);
  expect(await box.texts()).toEqual([]);
  expect(await box.put("2", "two")).toBe(true);
  expect(await box.put("1", "one")).toBe(true);
  expect(await box.put("2", "again")).toBe(false);
  await writeFile(join(folder, "3.json.7.part"), "ha");
  expect(await box.texts()).toEqual(["one", "two"]);
  expect(await box.put("3", "three")).toBe(true);
  expect(await readdir(folder)).toEqual(["1.json", "2.json", "3.json", "3.json.7.part"]);
});
