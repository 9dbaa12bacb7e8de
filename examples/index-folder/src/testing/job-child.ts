import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { onTestFinished } from "vitest";

const packageFolder = resolve(import.meta.dirname, "..", "..");

/** The program as a process of its own. */
export interface JobChild {
  readonly pid: number;
  /** What it has shown so far. */
  shown(): string;
  /** Settles when it has shown text that matches; rejects if it ends without. */
  whenShown(pattern: RegExp): Promise<void>;
  kill(signal: "SIGKILL" | "SIGINT" | "SIGTERM"): void;
  readonly ended: Promise<JobChildEnd>;
}

export interface JobChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the program from its sources, so that no build can be older than what is tested. */
export function startJob(words: readonly string[]): JobChild {
  const child = spawn(process.execPath, ["--conditions=@pulse-ts/source", "--import", "tsx", "src/main.ts", ...words], {
    cwd: packageFolder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  const ended = new Promise<JobChildEnd>((settle, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => settle({ code, signal, stdout, stderr }));
  });
  return {
    pid: child.pid ?? 0,
    shown: () => stderr,
    whenShown: (pattern) =>
      new Promise((settle, fail) => {
        const look = (): void => {
          if (!pattern.test(stderr)) return;
          listeners.delete(look);
          settle();
        };
        listeners.add(look);
        look();
        void ended.then(() => fail(new Error(`the job ended without showing ${String(pattern)}:\n${stderr}`)), fail);
      }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
