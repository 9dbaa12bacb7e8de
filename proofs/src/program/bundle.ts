import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CrashProgram } from "@pulse-ts/store-testkit";
import { build } from "esbuild";

/** A program as one file, made of today's sources. */
export interface BundledProgram extends CrashProgram, AsyncDisposable {}

/**
 * Puts a program and all that it imports into one file: a process that lives for a few milliseconds spends none of them on
 * compiling, and no build of the workspace can be older than what is proved.
 */
export async function bundle(entry: string): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-proof-"));
  const file = join(folder, "program.mjs");
  await build({
    entryPoints: [resolve(import.meta.dirname, entry)],
    outfile: file,
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@pulse-ts/source"],
    // CommonJS inside (proper-lockfile) asks for node's own modules by `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
