import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Report } from "../source/report.ts";
import { readPackages, type WorkspacePackage } from "../source/workspace.ts";

/** Runs a program and gives its exit code and what it printed. */
export type Run = (
  command: string,
  args: readonly string[],
  cwd: string,
) => { readonly code: number; readonly text: string };

/** Packs every published package and lets publint and attw judge the tarball, which is what a user gets. */
export function checkPacks(root: string, run: Run = runProgram(root)): Report {
  const packages = readPackages(root, "packages").filter(({ manifest }) => manifest.private !== true);
  const folder = mkdtempSync(join(tmpdir(), "pulse-packs-"));
  try {
    const results = packages.map((workspacePackage) => checkPack(root, workspacePackage, folder, run));
    return {
      name: "packs",
      counted: { packages: packages.length, tarballs: readdirSync(folder).length },
      problems: results.flat(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkPack(root: string, { folder, manifest }: WorkspacePackage, into: string, run: Run): string[] {
  const cwd = join(root, folder);
  if (!existsSync(join(cwd, "dist"))) return [`${folder}: has no dist; build it first`];
  const before = new Set(readdirSync(into));
  const packed = run("pnpm", ["pack", "--pack-destination", into], cwd);
  const tarball = readdirSync(into).find((name) => !before.has(name));
  if (packed.code !== 0 || tarball === undefined) return [`${folder}: pnpm pack failed:\n${packed.text}`];
  const file = join(into, tarball);
  const judges = [
    { command: "publint", args: ["--strict", file] },
    { command: "attw", args: ["--profile", "esm-only", "--format", "ascii", "--no-color", file] },
  ];
  return judges.flatMap(({ command, args }) => {
    const { code, text } = run(command, args, root);
    return code === 0 ? [] : [`${manifest.name}: ${command} found problems:\n${text.trim()}`];
  });
}

function runProgram(root: string): Run {
  const path = `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return (command, args, cwd) => {
    const result = spawnSync(command, args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, PATH: path },
      shell: process.platform === "win32",
    });
    return {
      code: result.status ?? 1,
      text: `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`,
    };
  };
}
