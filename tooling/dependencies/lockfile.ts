import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

interface LockedImporter {
  readonly dependencies?: Readonly<Record<string, { readonly version: string }>>;
  readonly devDependencies?: Readonly<Record<string, { readonly version: string }>>;
  readonly optionalDependencies?: Readonly<Record<string, { readonly version: string }>>;
}

interface Snapshot {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What is read of pnpm-lock.yaml. */
export interface Lockfile {
  readonly importers: Readonly<Record<string, LockedImporter>>;
  readonly snapshots: Readonly<Record<string, Snapshot>>;
}

/** pnpm writes two documents: the first is about pnpm itself. */
export function readLockfile(root: string): Lockfile {
  const documents = parseAllDocuments(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"));
  if (!Array.isArray(documents)) throw new Error("pnpm-lock.yaml has no document");
  // The file's own shape is checked by the pnpm that installs from it.
  const last = documents.at(-1)?.toJS() as Partial<Lockfile> | undefined;
  return { importers: last?.importers ?? {}, snapshots: last?.snapshots ?? {} };
}

/** The key in `snapshots` of what the package in `folder` has as `name`: `zod@4.6.7`. Undefined if it has none. */
export function lockedKey({ importers }: Lockfile, folder: string, name: string): string | undefined {
  const importer = importers[folder];
  const all = { ...importer?.dependencies, ...importer?.devDependencies, ...importer?.optionalDependencies };
  const version = all[name]?.version;
  return version === undefined ? undefined : keyOf(name, version);
}

/** How many other packages come with one, those for other machines included: their number is the same everywhere. */
export function countBrought({ snapshots }: Lockfile, key: string): number {
  const seen = new Set([key]);
  const waiting = [key];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { dependencies, optionalDependencies } = snapshots[next] ?? {};
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const brought = keyOf(name, version);
      if (!seen.has(brought)) waiting.push(brought);
      seen.add(brought);
    }
  }
  return seen.size - 1;
}

/** An alias has the real name before its version: `typescript5`, `typescript@5.9.3` -> `typescript@5.9.3`. */
function keyOf(name: string, version: string): string {
  return /^(@[^/]+\/)?[^@(]+@/.test(version) ? version : `${name}@${version}`;
}
