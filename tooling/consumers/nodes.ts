import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../source/run-program.ts";

/** A release of Node that the packed packages must run on. */
export interface WantedNode {
  /** What this Node stands for, and its name in reports. */
  readonly name: string;
  readonly version: string;
}

/** The oldest one that `engines` allows, and the release lines after it. */
export const wantedNodes: readonly WantedNode[] = [
  { name: "Node 20", version: "20.19.0" },
  { name: "Node 22", version: "22.23.5" },
  { name: "Node 24", version: "24.22.3" },
];

export interface Machine {
  /** `process.platform` */
  readonly platform: string;
  /** `process.arch` */
  readonly arch: string;
}

/**
 * The npm package that brings this Node's binary for a machine. Where not every release was packed for the machine, the
 * newest of the same release line is taken.
 */
export function packageOfNode({ version }: WantedNode, { platform, arch }: Machine): string {
  const system = platform === "win32" ? "win" : platform;
  // The name without "bin" was taken by something else when the first of these machines came.
  const prefix = platform === "darwin" && arch === "arm64" ? "node-bin" : "node";
  const [line] = version.split(".");
  return `${prefix}-${system}-${arch}@${platform === "linux" ? version : line}`;
}

/** The program of a Node, or why it could not be had. */
export type FoundNode =
  | { readonly kind: "found"; readonly program: string }
  | { readonly kind: "missing"; readonly reason: string };

/**
 * Installs a Node into a folder of its own under `cache` unless it is there, some 185 MB each. Nothing on the PATH
 * changes, and no script of the package runs.
 */
export async function findNode(wanted: WantedNode, machine: Machine, cache: string, run: Run): Promise<FoundNode> {
  const spec = packageOfNode(wanted, machine);
  const folder = join(cache, spec.replace("@", "-"));
  const done = join(folder, "installed.json");
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), `{ "private": true }\n`);
    const args = ["install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts"];
    const { code, text } = await run("npm", [...args, "--loglevel=error", spec], folder);
    if (code !== 0) return { kind: "missing", reason: `npm install ${spec} failed: ${text.trim().split("\n", 1)[0]}` };
    writeFileSync(done, JSON.stringify({ spec }));
  }
  const name = spec.slice(0, spec.indexOf("@"));
  const manifest = join(folder, "node_modules", name, "package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin: { readonly node: string } };
  return { kind: "found", program: join(folder, "node_modules", name, bin.node) };
}
