import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { ChildOrder, CrashProgram } from "@pulse-ts/store-testkit";
import { build } from "esbuild";
import type { Plugin } from "esbuild";

/** A program as one file, made of today's sources. */
export interface BundledProgram extends CrashProgram, AsyncDisposable {}

/**
 * Puts a program and all that it imports into one file, and keeps what Node compiled of it: a process that lives for a few
 * milliseconds spends none of them on compiling, and no build of the workspace can be older than what is proved.
 */
export async function bundle(entry: string): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-proof-"));
  const file = join(folder, "start.cjs");
  await build({
    entryPoints: [resolve(import.meta.dirname, entry)],
    outfile: join(folder, programName),
    bundle: true,
    minify: true,
    // Errors and graphs are told apart by names, in reports at least.
    keepNames: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["@pulse-ts/source"],
    plugins: [oneLanguage, addOns, ownPlaces],
  });
  await writeFile(file, starter);
  await warmUp(file, { subject: "generated", store: "file", input: "3", place: folder, runId: "warm-up", seed: 1 });
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

const programName = "program.cjs";

/** A third of the file would be zod's messages in all languages, which nobody reads here. */
const oneLanguage: Plugin = {
  name: "one language",
  setup({ onLoad }) {
    const contents = 'export { default as en } from "./en.js";';
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents, loader: "js" }));
  },
};

/** What brings machine code with it stays where it is installed; what `pg` asks for and can do without is left out. */
const addOns: Plugin = {
  name: "add-ons",
  setup({ onResolve }) {
    const { resolve: pathOf } = createRequire(
      createRequire(import.meta.url).resolve("@pulse-ts/sqlite-store/package.json"),
    );
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path: pathOf(path), external: true }));
    onResolve({ filter: /^pg-(native|cloudflare)$/ }, () => ({ external: true }));
  },
};

/** A source that asks where it is, for a file beside it, gets the answer that it would get unbundled. */
const ownPlaces: Plugin = {
  name: "own places",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]packages[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
    });
  },
};

/** Runs the program with what an earlier process has compiled of it, or keeps what this one compiles. */
const starter = `
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const filename = path.join(__dirname, "${programName}");
const kept = filename + ".compiled";
const cachedData = fs.existsSync(kept) ? fs.readFileSync(kept) : undefined;
const source = "(function (require, module, exports) {" + fs.readFileSync(filename, "latin1") + "\\n})";
const script = new vm.Script(source, { filename, cachedData });
script.runInThisContext()(require, module, exports);
if (cachedData === undefined) process.on("exit", () => fs.writeFileSync(kept, script.createCachedData()));
`;

const warmUpMsMax = 120_000;

async function warmUp(file: string, order: ChildOrder): Promise<void> {
  const child = spawn(process.execPath, [file, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    timeout: warmUpMsMax,
    killSignal: "SIGKILL",
  });
  // What it tells is of no interest; but a pipe that nobody reads would stop it. It was asked for as a pipe.
  (child.stdio[3] as Readable).resume();
  const [code] = (await once(child, "close")) as readonly unknown[];
  if (code !== 0) throw new Error(`the bundled program ended with code ${String(code)}`);
}
