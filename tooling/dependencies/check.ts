import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageOfNode, wantedNodes } from "../consumers/nodes.ts";
import type { Report } from "../source/report.ts";
import { readPackage, readPackages, type Manifest, type WorkspacePackage } from "../source/workspace.ts";
import { factNames, readFacts, type Facts } from "./facts.ts";
import { readLockfile } from "./lockfile.ts";
import { rowsOf, type Row } from "./page.ts";

/** The page that gives each dependency's facts and reason. */
export const page = "docs/dependencies.md";

/**
 * Every npm package that a manifest of this repository names has a row on the page, every row is still needed, and what it
 * tells is what the lockfile and the installed package say.
 */
export function checkDependencies(root: string): Report {
  const manifests = readManifests(root);
  const text = existsSync(join(root, page)) ? readFileSync(join(root, page), "utf8") : "";
  const rows = new Map(rowsOf(text).map((row) => [row.name, row]));
  const used = new Map(manifests.flatMap((item) => namesIn(item.manifest).map((name) => [name, item.folder] as const)));
  const facts = readAllFacts(root, manifests);
  const fetched = wantedNodes.map((node) => packageOfNode(node, { platform: "linux", arch: "x64" }));
  return {
    name: "dependencies",
    counted: { manifests: manifests.length, dependencies: used.size, rows: rows.size, facts: facts.known.size * 5 },
    problems: [
      ...facts.problems,
      ...[...used]
        .filter(([name]) => !rows.has(name))
        .map(([name, folder]) => `${folder}/package.json: ${name} has no row in ${page}`),
      ...[...rows.keys()].filter((name) => !used.has(name)).map((name) => `${page}: no package.json names ${name}`),
      ...[...rows.values()].flatMap((row) => rowProblems(row, facts.known.get(row.name))),
      ...fetched.filter((spec) => !text.includes(`\`${spec}\``)).map((spec) => `${page}: does not tell of ${spec}`),
    ],
  };
}

/** The facts of every dependency, and what stands in the way of knowing them. */
export function readAllFacts(root: string, manifests: readonly WorkspacePackage[] = readManifests(root)) {
  const lockfile = readLockfile(root);
  const known = new Map<string, Facts>();
  const problems: string[] = [];
  for (const { folder, manifest } of manifests)
    for (const name of namesIn(manifest)) {
      // A peer is installed in its package as a development dependency, or not at all.
      const facts = readFacts(root, lockfile, folder, name);
      const before = known.get(name);
      if (typeof facts === "string") problems.push(facts);
      else if (before !== undefined && before.version !== facts.version)
        problems.push(
          `${folder}/package.json: ${name} ${facts.version}, and ${before.version} elsewhere; use one version`,
        );
      else known.set(name, facts);
    }
  return { known, problems };
}

/** Every folder of the workspace that has a package.json, as pnpm-workspace.yaml names them. */
function readManifests(root: string): WorkspacePackage[] {
  const { packages = [] } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    readonly packages?: readonly string[];
  };
  const inside = packages.flatMap((pattern) =>
    pattern.endsWith("/*") ? readPackages(root, pattern.slice(0, -2)) : [readPackage(root, pattern)],
  );
  return [readPackage(root, "."), ...inside];
}

function namesIn(manifest: Manifest): string[] {
  const fields = [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.peerDependencies,
    manifest.optionalDependencies,
  ];
  const names = fields.flatMap((field) => Object.keys(field ?? {}));
  return [...new Set(names)].filter((name) => !name.startsWith("@pulse-ts/"));
}

function rowProblems({ name, facts, reason }: Row, known: Facts | undefined): string[] {
  const empty = [...factNames.map((fact) => [fact, facts[fact]] as const), ["reason", reason] as const]
    .filter(([, text]) => text === "")
    .map(([what]) => `${page}: the row of ${name} lacks its ${what}`);
  if (known === undefined || empty.length > 0) return empty;
  return factNames
    .filter((fact) => facts[fact] !== known[fact])
    .map((fact) => `${page}: ${fact} of ${name} is "${facts[fact]}"; what is installed says "${known[fact]}"`);
}
