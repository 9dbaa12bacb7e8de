import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeRefusal, pnpmVersion, stampOf } from "./machine.mjs";

/**
 * Installs the dependencies of the repository at `root` if they are not those of its lockfile.
 * @param {string} root
 * @param {(command: string, args: string[]) => number} [run] runs a command in `root` and gives its exit code
 * @returns {"current" | "installed"}
 */
export function install(root, run = (command, args) => runIn(root, command, args)) {
  const refusal = nodeRefusal(process.versions.node);
  if (refusal !== undefined) throw new Error(refusal);
  const stampFile = join(root, "node_modules", ".pulse-setup");
  const stamp = currentStamp(root);
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return "current";

  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = pnpmVersion(packageManager);
  console.error(`Installing the dependencies and development tools (about 800 MB, once) with pnpm ${version} …`);
  const code = run("npx", ["-y", `pnpm@${version}`, "install", "--frozen-lockfile"]);
  if (code !== 0)
    throw new Error(
      `Setting up Pulse: "npx -y pnpm@${version} install --frozen-lockfile" ended with code ${code}. ` +
        "Its own message stands above; a registry that cannot be reached is the usual reason.",
    );
  writeFileSync(stampFile, stamp);
  return "installed";
}

/**
 * @param {string} root
 * @returns {string}
 */
export function currentStamp(root) {
  const hash = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(root, file)));
  return stampOf({
    lockfileHash: hash.digest("hex"),
    abi: process.versions.modules,
    platform: process.platform,
    arch: process.arch,
  });
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 * @returns {number}
 */
function runIn(cwd, command, args) {
  // npm and npx are scripts on Windows, which only a shell can start. Installing must not write into stdout,
  // which belongs to the command that needed the set-up.
  const result = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
    // The version is the repository's choice, so a notice of a newer npm or pnpm is noise to whoever only starts it.
    env: {
      ...process.env,
      NO_UPDATE_NOTIFIER: "1",
      npm_config_update_notifier: "false",
      pnpm_config_update_notifier: "false",
    },
  });
  if (result.error !== undefined)
    throw new Error(`Setting up Pulse: ${command} could not be started: ${result.error.message}`, {
      cause: result.error,
    });
  return result.status ?? 1;
}
