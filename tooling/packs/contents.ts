import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/** The files of an unpacked tarball: path -> bytes. */
export type PackedFiles = ReadonlyMap<string, Buffer>;

/** Reads every file under the folder that a tarball was unpacked to. */
export function readUnpacked(folder: string): PackedFiles {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.toSorted().map((path) => [relative(folder, path).split(sep).join("/"), readFileSync(path)]));
}

/** What must be in every tarball. */
const needed = ["package.json", "README.md", "LICENSE"];
const allowed =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|migrations\/\d+[\w-]*\.sql|dist\/.+\.(js|js\.map|d\.ts|d\.ts\.map)|src\/.+\.ts)$/;
/** Tests and what they share: `src/testing.ts` itself is a published entry. */
const forTestsOnly = /\.test\.|\.test-d\.|(^|\/)(testing|fixtures|__\w+__)\//;

/** What is in a tarball that does not belong there, and what is missing from it. */
export function checkContents(name: string, files: PackedFiles): string[] {
  const paths = [...files.keys()];
  return [
    ...needed.filter((path) => !files.has(path)).map((path) => `${name}: the tarball has no ${path}`),
    ...paths.filter((path) => !allowed.test(path)).map((path) => `${name}: ${path} does not belong in a tarball`),
    ...paths.filter((path) => forTestsOnly.test(path)).map((path) => `${name}: ${path} is for tests only`),
    ...paths.flatMap((path) => checkBuilt(name, path, files)),
    ...paths.filter((path) => path.endsWith(".map")).flatMap((path) => checkMap(name, path, files)),
  ];
}

/** Each built file comes from a source that is there: tsc leaves what it built from a file that is gone. */
function checkBuilt(name: string, path: string, files: PackedFiles): string[] {
  const stem = /^dist\/(.+?)\.(?:js|d\.ts)$/.exec(path)?.[1];
  if (stem === undefined || files.has(`src/${stem}.ts`)) return [];
  return [`${name}: ${path} has no src/${stem}.ts: it is left over from an earlier build; delete dist and build again`];
}

/** A debugger that follows a map ends at a file of the tarball. */
function checkMap(name: string, path: string, files: PackedFiles): string[] {
  const map = JSON.parse(files.get(path)?.toString("utf8") ?? "{}") as { readonly sources?: readonly string[] };
  const sources = map.sources ?? [];
  if (sources.length === 0) return [`${name}: ${path} names no source`];
  return sources
    .map((source) => posix.join(posix.dirname(path), source))
    .filter((source) => !files.has(source))
    .map((source) => `${name}: ${path} leads to ${source}, which is not in the tarball`);
}
