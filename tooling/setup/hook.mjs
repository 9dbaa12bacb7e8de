import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** What git runs before a commit, in the top folder: less than a second, so that nobody wants to be rid of it. */
const hook = `#!/bin/sh
# Made by "npm run hook". The whole quick check is "npm run check".
exec node_modules/.bin/oxfmt --check
`;

/**
 * Installs the pre-commit hook of the repository at `root`, where git itself looks for it. One that is there stays.
 * @param {string} root
 * @returns {{ path: string, made: boolean }}
 */
export function installHook(root) {
  const asked = spawnSync("git", ["rev-parse", "--git-path", "hooks/pre-commit"], { cwd: root, encoding: "utf8" });
  if (asked.status !== 0)
    throw new Error(
      `Installing the hook: git does not know ${root}: ${(asked.stderr ?? asked.error?.message ?? "").trim()}`,
    );
  const path = resolve(root, asked.stdout.trim());
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, hook, { mode: 0o755, flag: "wx" });
    return { path, made: true };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return { path, made: false };
    throw error;
  }
}
