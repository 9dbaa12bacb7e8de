import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "esbuild";
import { onTestFinished } from "vitest";

/** The program with all that it imports, made of today's sources. */
export interface BuiltJob {
  readonly file: string;
  remove(): Promise<void>;
}

const packages = resolve(import.meta.dirname, "..", "..", "..", "..", "packages");

/**
 * Puts the program and all that it imports into one folder. No build of the workspace can then be older than what is
 * tested, and a process that is killed fifty times does not spend its life compiling. What it imports only when it is
 * asked for stays apart.
 */
export async function buildJob(): Promise<BuiltJob> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-job-"));
  await build({
    entryPoints: [resolve(import.meta.dirname, "..", "main.ts")],
    outdir: join(folder, "program"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@pulse-ts/source"],
    plugins: [driversWhereTheyAre],
  });
  // The store looks for them beside its own folder.
  await cp(join(packages, "pgstore", "migrations"), join(folder, "migrations"), { recursive: true });
  return { file: join(folder, "program", "main.mjs"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The drivers of databases load files of their own, so they stay in their place. */
export const driversWhereTheyAre: Plugin = {
  name: "drivers where they are",
  setup({ onResolve }) {
    onResolve({ filter: /^(?:pg|better-sqlite3)$/ }, ({ path, importer }) => ({
      path: pathToFileURL(createRequire(importer).resolve(path)).href,
      external: true,
    }));
  },
};

/** The program as a process of its own. */
export interface JobChild {
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

/** Starts the program with these words on its command line. It does not outlive the test. */
export function startJob({ file }: BuiltJob, words: readonly string[]): JobChild {
  const child = spawn(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "pipe"] });
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
