import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** Runs a program and gives its exit code and what it printed. */
export type Run = (
  command: string,
  args: readonly string[],
  cwd: string,
) => { readonly code: number; readonly text: string };

/** Runs programs with those of the repository's devDependencies first on the PATH. */
export function runProgram(root: string): Run {
  const path = `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return (command, args, cwd) => {
    const result = spawnSync(command, args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, PATH: path },
      // pnpm and npm are scripts on Windows, which only a shell can start.
      shell: process.platform === "win32",
    });
    return {
      code: result.status ?? 1,
      text: `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`,
    };
  };
}
