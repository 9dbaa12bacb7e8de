import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readPackages, type WorkspacePackage } from "../source/workspace.ts";
import type { Run } from "../source/run-program.ts";

/** The packages that users can install, in order of their folders. */
export function publishedPackages(root: string): WorkspacePackage[] {
  return readPackages(root, "packages").filter(({ manifest }) => manifest.private !== true);
}

/** A packed package, or why there is none. */
export type Packed =
  | { readonly kind: "packed"; readonly file: string }
  | { readonly kind: "problem"; readonly text: string };

/** Packs one package into the folder `into`, as publishing it would. */
export async function pack(root: string, { folder }: WorkspacePackage, into: string, run: Run): Promise<Packed> {
  const cwd = join(root, folder);
  if (!existsSync(join(cwd, "dist"))) return { kind: "problem", text: `${folder}: has no dist; build it first` };
  const before = new Set(readdirSync(into));
  const packed = await run("pnpm", ["pack", "--pack-destination", into], cwd);
  const tarball = readdirSync(into).find((name) => !before.has(name));
  if (packed.code !== 0 || tarball === undefined)
    return { kind: "problem", text: `${folder}: pnpm pack failed:\n${packed.text}` };
  return { kind: "packed", file: join(into, tarball) };
}
