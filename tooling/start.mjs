// npm start: sets up, builds what the main job needs, and becomes the main job (examples/index-folder).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { install } from "./setup/install.mjs";
import { root, runBin } from "./setup/workspace-bin.mjs";

const job = "examples/index-folder";
const entry = join(root, job, "dist", "main.js");

try {
  install(root);
  // turbo compares the sources with its cache: a second start builds nothing.
  if (!existsSync(entry)) console.error("Building …");
  const code = await runBin("turbo", ["run", "build", `--filter=./${job}`, "--output-logs=errors-only"], {
    quiet: true,
  });
  if (code !== 0 || !existsSync(entry))
    throw new Error(`Starting Pulse: the build of ${job} failed; its message stands above.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

// The job runs in this very process, so that signals, the exit code and the terminal are its own.
process.argv = [process.execPath, entry, ...process.argv.slice(2)];
await import(pathToFileURL(entry).href);
