import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../source/report.ts";
import { readPackage, readPackages, type Manifest } from "../source/workspace.ts";

/** The page that gives each dependency's reason and licence. */
export const page = "docs/dependencies.md";

/** Every npm package that a manifest of this repository names has a row on the page, and every row is still needed. */
export function checkDependencies(root: string): Report {
  const folders = [".", "tooling", "bench"].filter((folder) => existsSync(join(root, folder, "package.json")));
  const manifests = [
    ...folders.map((folder) => readPackage(root, folder)),
    ...readPackages(root, "packages"),
    ...readPackages(root, "examples"),
  ];
  const used = new Map(
    manifests.flatMap(({ folder, manifest }) => namesIn(manifest).map((name) => [name, folder] as const)),
  );
  const rows = rowsOf(existsSync(join(root, page)) ? readFileSync(join(root, page), "utf8") : "");
  return {
    name: "dependencies",
    counted: { manifests: manifests.length, dependencies: used.size, rows: rows.size },
    problems: [
      ...[...used]
        .filter(([name]) => !rows.has(name))
        .map(([name, folder]) => `${folder}/package.json: ${name} has no row in ${page}`),
      ...[...rows.keys()].filter((name) => !used.has(name)).map((name) => `${page}: no package.json names ${name}`),
      ...[...rows]
        .filter(([, whole]) => !whole)
        .map(([name]) => `${page}: the row of ${name} lacks its licence or reason`),
    ],
  };
}

function namesIn(manifest: Manifest): string[] {
  return [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies, manifest.optionalDependencies]
    .flatMap((field) => Object.keys(field ?? {}))
    .filter((name) => !name.startsWith("@pulse-ts/"));
}

/** `` | `zod` | MIT | … | `` -> zod, and whether licence and reason are there. */
function rowsOf(text: string): Map<string, boolean> {
  return new Map(
    [...text.matchAll(/^\| *`([^`]+)` *\|([^|]*)\|([^|]*)\|/gm)].map(([, name = "", licence = "", reason = ""]) => [
      name,
      licence.trim() !== "" && reason.trim() !== "",
    ]),
  );
}
