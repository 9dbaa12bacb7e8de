import { builtinModules } from "node:module";
import { posix } from "node:path";
import type { Report } from "../source/report.ts";
import { readFiles, readPackages, type SourceFile, type WorkspacePackage } from "../source/workspace.ts";
import { findCycles } from "./cycles.ts";
import { importsOf, type Import } from "./imports.ts";
import { freePackage, isOwn, packageOf, refusal } from "./order.ts";

const builtins = new Set(builtinModules);

/** Reads `packages/*` under `root` and checks every import and every declared dependency against the layers. */
export function checkLayers(root: string): Report {
  const packages = readPackages(root, "packages");
  const seen = { files: 0, imports: 0, between: 0 };
  const problems: string[] = [];
  const notes: string[] = [];
  for (const workspacePackage of packages) {
    const files = readFiles(root, workspacePackage.folder, [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]);
    const rings = cyclesOf(files, ({ runs }) => runs);
    problems.push(...checkManifest(workspacePackage), ...rings);
    notes.push(
      ...cyclesOf(files, () => true)
        .filter((ring) => !rings.includes(ring))
        .map((ring) => `types only: ${ring}`),
    );
    for (const file of files) {
      const imports = importsOf(file.path, file.text);
      seen.files += 1;
      seen.imports += imports.length;
      seen.between += imports.filter(({ specifier }) => isOwn(packageOf(specifier))).length;
      problems.push(...imports.flatMap((found) => checkImport(workspacePackage, file, found)));
    }
  }
  return {
    name: "layers",
    counted: {
      packages: packages.length,
      files: seen.files,
      imports: seen.imports,
      "imports between packages": seen.between,
    },
    problems,
    notes,
  };
}

/** True for files that are not published: tests, type tests, what they share, and set-up of tools. */
export function isTestFile(path: string): boolean {
  return /\.test(-d)?\.ts$|\/testing\/|\.config\.[cm]?[tj]s$/.test(path) || !/\/src\//.test(path);
}

function checkManifest({ folder, manifest }: WorkspacePackage): string[] {
  const place = `${folder}/package.json`;
  const fields = ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"] as const;
  return fields.flatMap((field) =>
    Object.keys(manifest[field] ?? {}).flatMap((name) => {
      const inTest = field === "devDependencies";
      if (manifest.name === freePackage && !inTest) return [`${place}: ${field}.${name}: core has no dependency`];
      const reason = isOwn(name) ? refusal(manifest.name, name, inTest) : undefined;
      return reason === undefined ? [] : [`${place}: ${field}.${name}: ${reason}`];
    }),
  );
}

function checkImport({ folder, manifest }: WorkspacePackage, file: SourceFile, found: Import): string[] {
  const place = `${file.path}:${found.line}: "${found.specifier}"`;
  const inTest = isTestFile(file.path);
  if (found.specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(file.path), found.specifier);
    if (target.startsWith(`${folder}/`)) return [];
    const shared = target === "vitest.shared.ts" || target.startsWith("tooling/");
    return inTest && shared ? [] : [`${place}: leaves its package; import another package by its name`];
  }
  const name = packageOf(found.specifier);
  if (isOwn(name)) return checkOwnImport(manifest.name, name, found.specifier, inTest, place);
  if (inTest) return [];
  if (manifest.name === freePackage) return [`${place}: core imports nothing from npm or node:`];
  if (name.startsWith("node:") || builtins.has(name)) return [];
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
  return name in declared ? [] : [`${place}: ${name} is not among the dependencies of ${manifest.name}`];
}

function checkOwnImport(from: string, to: string, specifier: string, inTest: boolean, place: string): string[] {
  if (/\/(src|dist)(\/|$)/.test(specifier)) return [`${place}: reaches into another package; use what it exports`];
  if (from === to) return inTest ? [] : [`${place}: names its own package; import the file`];
  const reason = refusal(from, to, inTest);
  return reason === undefined ? [] : [`${place}: ${reason}`];
}

/**
 * Rings of files inside a package. One of imports that run is a problem: a name in it can be read before it is there.
 * One that only types close is noted: engine objects that hold each other are described in two files.
 */
function cyclesOf(files: readonly SourceFile[], keep: (found: Import) => boolean): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(path, text)
        .filter((found) => keep(found) && found.specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
        .filter((target) => paths.has(target)),
    ]),
  );
  return findCycles(edges).map((cycle) => `${cycle[0]}: circular imports: ${cycle.join(" -> ")}`);
}
