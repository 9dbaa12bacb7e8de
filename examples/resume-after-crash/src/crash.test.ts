import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}

/** Runs the example as its README says, from its sources. */
function runExample(folder: string): Promise<End> {
  const child = spawn(process.execPath, ["--conditions=@pulse-ts/source", "--import", "tsx", "src/main.ts", folder], {
    cwd: resolve(import.meta.dirname, ".."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  return new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => settle({ code, signal, lines: stdout.trim().split("\n") }));
  });
}

test("DUR-8 DUR-25 DUR-3 the process dies in the middle; the second start charges with the same key, and the third does nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pulse-crash-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const paid = async (): Promise<string[]> => (await readFile(join(folder, "payments.txt"), "utf8")).trim().split("\n");

  expect(await runExample(folder)).toEqual({
    code: null,
    signal: "SIGKILL",
    lines: ["reserve: one lantern", "charge: 4200 cents"],
  });
  const payments = await paid();
  expect(payments).toHaveLength(1);

  const receipt = `reserved: lantern, paid with payment-${payments[0]?.slice(0, 8)}`;
  expect(await runExample(folder)).toEqual({
    code: 0,
    signal: null,
    lines: ["charge: 4200 cents", "ship: on its way", receipt],
  });
  expect(await paid()).toEqual(payments);
  expect(await runExample(folder)).toEqual({ code: 0, signal: null, lines: [receipt] });
});
