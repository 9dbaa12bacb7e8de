import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What is checked here: something in one process, and something that starts others. */
const only = "STORE-3,STORE-5";

/** Checks a store module with the installed command, on plain Node. */
export function runStoreCheck(): string {
  const command = fileURLToPath(new URL("pulse-store-check.js", import.meta.resolve("@pulse-ts/store-testkit")));
  const module = fileURLToPath(new URL("store-module.js", import.meta.url));
  const args = [command, module, "--only", only, "--seed", "1"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /^passed +STORE-5\.takeover/m);
  assert.match(stdout, /\n\d+ passed, 0 failed, 0 left out; seed 1\n$/);
  return "a store checked";
}
