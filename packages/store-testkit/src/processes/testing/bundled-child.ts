import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "esbuild";

/**
 * Puts the child program and a store module into one file: hundreds of processes are started from it, and each would spend
 * seconds of a processor on the sources. Gone when this process ends.
 */
export async function bundledChild(module: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-child-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "child.mjs");
  const path = JSON.stringify(module);
  const entry = `
    import * as exported from ${path};
    import { subjectIn } from ${JSON.stringify(join(import.meta.dirname, "../import-subject.ts"))};
    import { runStoreChild } from ${JSON.stringify(join(import.meta.dirname, "../run-store-child.ts"))};
    await runStoreChild(subjectIn(${path}, exported));
  `;
  await build({
    stdin: { contents: entry, resolveDir: dirname(module) },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@pulse-ts/source"],
    plugins: [installedApart, ownPlaces],
  });
  return outfile;
}

/** What is installed is taken from where it is: it may bring machine code, or files of its own. */
const installedApart: Plugin = {
  name: "installed apart",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...options }) => {
      if (path.startsWith("@pulse-ts/") || path.startsWith("node:") || pluginData === looked) return undefined;
      const found = await resolve(path, { ...options, pluginData: looked });
      return found.errors.length > 0 ? { path, external: true } : { path: found.path, external: true };
    });
  },
};

const looked = "looked for";

/** A source that asks where it is gets the answer that it would get unbundled. */
const ownPlaces: Plugin = {
  name: "own places",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
      return { contents, loader: "ts" };
    });
  },
};
