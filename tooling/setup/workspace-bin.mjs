import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The top folder of this repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs a program of the root's devDependencies and gives its exit code.
 * Signals that a terminal sends reach it directly; this process waits for it to end.
 * @param {string} name `vitest`, `turbo`
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean }} [options] quiet: what it prints is shown only if it fails, and on stderr
 * @returns {Promise<number>}
 */
export function runBin(name, args, { quiet = false } = {}) {
  const bin = join(root, "node_modules", ".bin");
  const windows = process.platform === "win32";
  return new Promise((resolve, reject) => {
    const child = spawn(join(bin, windows ? `${name}.cmd` : name), args, {
      cwd: root,
      stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
      shell: windows,
      // turbo looks for pnpm on the PATH.
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`, TURBO_TELEMETRY_DISABLED: "1" },
    });
    /** @type {Buffer[]} */
    const printed = [];
    child.stdout?.on("data", (chunk) => printed.push(chunk));
    child.stderr?.on("data", (chunk) => printed.push(chunk));
    const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
    const wait = () => undefined;
    process.on("SIGTERM", forward);
    process.on("SIGINT", wait);
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGTERM", forward);
      process.off("SIGINT", wait);
      if (code !== 0) process.stderr.write(Buffer.concat(printed));
      resolve(code ?? 1);
    });
  });
}
