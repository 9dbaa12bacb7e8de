import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The top folder of this repository. Every check takes another root as an argument, which is how the tests plant violations. */
export const repositoryRoot: string = fileURLToPath(new URL("../..", import.meta.url));

/** What the checks read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A folder with a package.json. */
export interface WorkspacePackage {
  /** Relative to the root, with `/`: `packages/codec`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** A text file of the repository. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The packages directly under `parent` (`packages`, `examples`), in order of their names. None if the folder is missing. */
export function readPackages(root: string, parent: string): WorkspacePackage[] {
  const folder = join(root, parent);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .filter((name) => existsSync(join(folder, name, "package.json")))
    .map((name) => readPackage(root, `${parent}/${name}`));
}

/** One package by its folder, relative to the root. */
export function readPackage(root: string, folder: string): WorkspacePackage {
  return { folder, manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest };
}

/** All files under `folder` whose name ends in one of `endings`, installed and built ones left out, in a stable order. */
export function readFiles(root: string, folder: string, endings: readonly string[]): SourceFile[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return walk(start)
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .map((file) => ({ path: relative(root, file).split(sep).join("/"), text: readFileSync(file, "utf8") }));
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return entry.name === "node_modules" || entry.name === "dist" || entry.name.startsWith(".") ? [] : walk(path);
    });
}
