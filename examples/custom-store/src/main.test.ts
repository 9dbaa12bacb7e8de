import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("DUR-8 the program shows a run that is interrupted, and goes on in another life", async () => {
  const program = join(import.meta.dirname, "main.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@pulse-ts/source",
    "--import",
    "tsx",
    program,
  ]);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "— the first time",
    "weigh: a lantern",
    "print: a label for 1200 g",
    "interrupted: running, revision 2",
    "— the second time",
    "print: a label for 1200 g",
    "send: on its way",
    "sent: a lantern, 1200 g",
    "— what the service holds",
    "run/parcel-1",
  ]);
});
