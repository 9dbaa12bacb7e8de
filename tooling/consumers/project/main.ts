import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDurably } from "./durable-run.ts";
import { runInMemory } from "./in-memory.ts";
import { runKilled } from "./killed.ts";
import { runStoreCheck } from "./store-check.ts";
import { runTestHelpers } from "./test-helpers.ts";

const folder = mkdtempSync(join(tmpdir(), "pulse-consumer-run-"));
try {
  const durable = [await runDurably(folder), await runTestHelpers(folder), runKilled(folder)];
  const done = [await runInMemory(), ...durable, runStoreCheck()];
  console.log(`Node ${process.version}: ${done.join(", ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
