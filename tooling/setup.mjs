// npm run setup: installs what the lockfile names, on a machine that has only Node and npm.
import { install } from "./setup/install.mjs";
import { root } from "./setup/workspace-bin.mjs";

try {
  console.log(install(root) === "current" ? "Set up already." : "Set up.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
