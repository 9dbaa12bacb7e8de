import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** How a program ended, and all that it printed. */
export interface Ended {
  readonly code: number;
  readonly text: string;
}

/** Runs a program. Never rejects: one that cannot be started has ended with 1. */
export type Run = (command: string, args: readonly string[], cwd: string) => Promise<Ended>;

/** Runs programs with those of the repository's devDependencies first on the PATH. */
export function runProgram(root: string): Run {
  const path = `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return (command, args, cwd) =>
    new Promise((resolve) => {
      const child = spawn(command, args, {
        cwd,
        env: { ...process.env, PATH: path },
        stdio: ["ignore", "pipe", "pipe"],
        // pnpm and npm are scripts on Windows, which only a shell can start.
        shell: process.platform === "win32" && !command.endsWith(".exe"),
      });
      const printed: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => printed.push(chunk));
      const text = (): string => Buffer.concat(printed).toString("utf8");
      child.once("error", (error) => resolve({ code: 1, text: `${text()}${error.message}` }));
      child.once("close", (code) => resolve({ code: code ?? 1, text: text() }));
    });
}
