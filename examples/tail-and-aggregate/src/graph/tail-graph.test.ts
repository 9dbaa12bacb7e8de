import { isPulseError, run } from "@pulse-ts/core";
import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainCount, sampleLines, temporaryFolder } from "../testing/sample-log.ts";
import { worldIn } from "../testing/world.ts";
import { tailGraph } from "./tail-graph.ts";

async function logWith(lines: readonly string[]) {
  const folder = await temporaryFolder();
  const log = join(folder, "access.log");
  await writeFile(log, lines.map((line) => `${line}\n`).join(""));
  return { folder, log };
}

test("the result file is the plain count, each minute delivered once", async () => {
  const { folder, log } = await logWith(sampleLines(200));
  const { seen, options } = worldIn(folder);
  const { values } = await run(tailGraph, { log, prefix: "" }, options);
  const wanted = plainCount(await readFile(log, "utf8"));
  expect(values.summary).toEqual(wanted);
  expect(JSON.parse(await readFile(join(folder, "result.json"), "utf8"))).toEqual(wanted);
  expect(seen.filter((event) => event.kind === "delivered" && !event.written)).toEqual([]);
});

test("an empty file has an empty result", async () => {
  const { folder, log } = await logWith([]);
  const { values } = await run(tailGraph, { log, prefix: "" }, worldIn(folder).options);
  expect(values.summary).toEqual({ lines: 0, unread: 0, minutes: [] });
});

test("it follows a file that grows, until it is rotated", async () => {
  const { folder, log } = await logWith(sampleLines(20));
  let sent = 0;
  const world = worldIn(folder, {
    follow: true,
    see(event) {
      // The last portion has no lines, and is sent when the file is rotated already.
      if (event.kind !== "sent" || event.lines === 0) return;
      sent += event.lines;
      if (sent === 20) void appendFile(log, `${sampleLines(10, 20).join("\n")}\n`);
      if (sent === 30) void rename(log, `${log}.1`);
    },
  });
  const { values } = await run(tailGraph, { log, prefix: "" }, world.options);
  expect(values.summary).toEqual(plainCount(await readFile(`${log}.1`, "utf8")));
});

test("a file that is not there interrupts the run with a problem, and fails nothing", async () => {
  const folder = await temporaryFolder();
  const world = worldIn(folder);
  const error: unknown = await run(tailGraph, { log: join(folder, "no.log"), prefix: "" }, world.options).catch(
    (reason: unknown) => reason,
  );
  expect(isPulseError(error, "PULSE_INTERRUPTED")).toBe(true);
  expect(world.problem()?.message).toContain("there is no such file");
});
