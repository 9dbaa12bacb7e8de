import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../source/report.ts";
import { runProgram, type Run } from "../source/run-program.ts";
import type { WorkspacePackage } from "../source/workspace.ts";
import { checkContents, readUnpacked } from "./contents.ts";
import { checkMetadata } from "./metadata.ts";
import { pack, publishedPackages } from "./tarballs.ts";

interface Result {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly files: number;
}

/**
 * Packs every published package and looks at the tarball, which is what a user gets: publint and attw judge how it
 * resolves, and the files in it are exactly of the kinds that belong there.
 */
export async function checkPacks(root: string, run: Run = runProgram(root)): Promise<Report> {
  const packages = publishedPackages(root);
  const folder = mkdtempSync(join(tmpdir(), "pulse-packs-"));
  try {
    const results: Result[] = [];
    for (const workspacePackage of packages) results.push(await checkPack(root, workspacePackage, folder, run));
    return {
      name: "packs",
      counted: {
        packages: packages.length,
        tarballs: results.filter(({ notes }) => notes.length > 0).length,
        files: results.reduce((sum, { files }) => sum + files, 0),
      },
      problems: results.flatMap(({ problems }) => problems),
      notes: results.flatMap(({ notes }) => notes),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkPack(root: string, workspacePackage: WorkspacePackage, into: string, run: Run): Promise<Result> {
  const { manifest } = workspacePackage;
  const packed = await pack(root, workspacePackage, into, run);
  if (packed.kind === "problem") return { problems: [packed.text], notes: [], files: 0 };
  const judges = [
    { command: "publint", args: ["--strict", packed.file] },
    { command: "attw", args: ["--profile", "esm-only", "--format", "ascii", "--no-color", packed.file] },
  ];
  const judge = async ({ command, args }: (typeof judges)[number]): Promise<string[]> => {
    const { code, text } = await run(command, args, root);
    return code === 0 ? [] : [`${manifest.name}: ${command} found problems:\n${text.trim()}`];
  };
  const judged = (await Promise.all(judges.map(judge))).flat();
  const unpacked = `${packed.file}.unpacked`;
  mkdirSync(unpacked);
  const tar = await run("tar", ["-xzf", packed.file, "-C", unpacked, "--strip-components=1"], into);
  if (tar.code !== 0)
    return {
      problems: [...judged, `${manifest.name}: tar cannot read the tarball:\n${tar.text}`],
      notes: [],
      files: 0,
    };
  const files = readUnpacked(unpacked);
  const unpackedBytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
  return {
    problems: [...judged, ...checkMetadata(root, files), ...checkContents(manifest.name, files)],
    notes: [
      `${manifest.name}: ${files.size} files, ${kB(statSync(packed.file).size)} packed, ${kB(unpackedBytes)} unpacked`,
    ],
    files: files.size,
  };
}
