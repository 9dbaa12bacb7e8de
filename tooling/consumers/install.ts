import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pack, publishedPackages, type Packed } from "../packs/tarballs.ts";
import type { Run } from "../source/run-program.ts";
import type { Manifest, WorkspacePackage } from "../source/workspace.ts";

/** The program of a user: it imports the packages by name, and nothing of this repository. */
const project = fileURLToPath(new URL("project", import.meta.url));

/** Makes `folder` a project that has the packed packages installed, and whose sources are in `src`. */
export async function installTarballs(root: string, folder: string, run: Run) {
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  const packages = publishedPackages(root);
  const packed: { readonly item: WorkspacePackage; readonly result: Packed }[] = [];
  for (const item of packages) packed.push({ item, result: await pack(root, item, tarballs, run) });
  const unpacked = packed.flatMap(({ result }) => (result.kind === "problem" ? [result.text] : []));
  if (unpacked.length > 0) return { problems: unpacked, notes: [], count: packages.length };

  const own = packed.flatMap(({ item, result }) =>
    result.kind === "packed" ? [[item.manifest.name, `file:${result.file}`]] : [],
  );
  const peers = packages.flatMap(({ manifest }) => oldestPeers(manifest));
  const dependencies = {
    ...Object.fromEntries([...own, ...peers]),
    "@types/node": installedVersion(root, "@types/node"),
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  cpSync(project, join(folder, "src"), { recursive: true });
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"];
  const { code, text } = await run("npm", [...args, "--loglevel=error"], folder);
  const notes = peers.map(([name, version]) => `with ${name} ${version}, the oldest that is allowed`);
  return { problems: code === 0 ? [] : [`npm install failed:\n${text.trim()}`], notes, count: packages.length };
}

/**
 * `{ zod: "^4.1.0" }` -> zod 4.1.0: the tests of the packages have the newest, so here is the oldest. An optional peer is
 * left out, as by a user who does not want it.
 */
function oldestPeers(manifest: Manifest): [string, string][] {
  const isNeeded = (name: string): boolean => manifest.peerDependenciesMeta?.[name]?.optional !== true;
  const needed = Object.entries(manifest.peerDependencies ?? {}).filter(([name]) => isNeeded(name));
  return needed.map(([name, range]) => {
    const [, oldest] = /^\^(\d+\.\d+\.\d+)$/.exec(range) ?? [];
    if (oldest === undefined) throw new Error(`${manifest.name}: the peer range of ${name} is "${range}", not ^x.y.z`);
    return [name, oldest];
  });
}

/** The version that the repository itself has of a package. */
function installedVersion(root: string, name: string): string {
  const manifest = createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
