import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../source/report.ts";
import { readPackages } from "../source/workspace.ts";
import { entriesOf, type Entry } from "./exports.ts";

/** Compares what each published package exports with its `surface.txt`, or writes that file. */
export function checkSurface(root: string, write: boolean): Report {
  const packages = readPackages(root, "packages").filter(({ manifest }) => manifest.private !== true);
  const counted = { packages: packages.length, entries: 0, names: 0 };
  const problems: string[] = [];
  for (const workspacePackage of packages) {
    const entries = entriesOf(root, workspacePackage);
    counted.entries += entries.length;
    counted.names += entries.reduce((sum, { names }) => sum + names.length, 0);
    const path = `${workspacePackage.folder}/surface.txt`;
    const file = join(root, path);
    if (write) writeFileSync(file, print(entries));
    problems.push(...unresolved(entries));
    problems.push(...differences(path, existsSync(file) ? readFileSync(file, "utf8") : "", print(entries)));
  }
  return { name: "surface", counted, problems };
}

/** The text of a `surface.txt`: a line for each name under its entry, in the order of the alphabet. */
export function print(entries: readonly Entry[]): string {
  return entries
    .map(({ specifier, names }) => [specifier, ...names.map(({ name, kind }) => `  ${kind} ${name}`), ""].join("\n"))
    .join("\n");
}

/** One problem for each line that came or went. */
export function differences(path: string, kept: string, found: string): string[] {
  const before = withEntry(kept);
  const now = withEntry(found);
  const gone = before.filter((line) => !now.includes(line)).map((line) => `${path}: no longer exported: ${line}`);
  const come = now.filter((line) => !before.includes(line)).map((line) => `${path}: not written down: ${line}`);
  const all = [...gone, ...come];
  return all.length === 0 ? [] : [...all, `${path}: if this change is meant, run "pnpm surface --write"`];
}

/** `  function run` under `@pulse-ts/core` -> `@pulse-ts/core: function run`. */
function withEntry(text: string): string[] {
  let entry = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("  ")) return [`${entry}: ${line.trim()}`];
    entry = line;
    return [];
  });
}

function unresolved(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ specifier, names }) =>
    names
      .filter(({ kind }) => kind === "unresolved")
      .map(({ name }) => `${specifier}: ${name} is exported, but its declaration was not found`),
  );
}
