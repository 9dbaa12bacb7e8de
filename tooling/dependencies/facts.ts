import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { countBrought, lockedKey, type Lockfile } from "./lockfile.ts";

/** What the page tells of a dependency, apart from the reason. */
export interface Facts {
  readonly version: string;
  readonly licence: string;
  /** `owner/name`, wherever it is hosted. */
  readonly repository: string;
  /** `no`, `runs` or `kept from running`: a script that npm and pnpm know as part of installing. */
  readonly script: string;
  /** How many other packages come with it. */
  readonly brings: string;
}

export const factNames = ["version", "licence", "repository", "script", "brings"] as const;

interface Installed {
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url?: string };
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Reads the facts of what `folder` has as `name` from the lockfile and from the installed package itself. */
export function readFacts(root: string, lockfile: Lockfile, folder: string, name: string): Facts | string {
  const key = lockedKey(lockfile, folder, name);
  if (key === undefined) return `pnpm-lock.yaml has no version of ${name} for ${folder}`;
  const manifest = join(root, folder, "node_modules", name, "package.json");
  if (!existsSync(manifest)) return `${name} is not installed in ${folder}`;
  const installed = JSON.parse(readFileSync(manifest, "utf8")) as Installed;
  const locked = /@([^@(]+)(?:\(|$)/.exec(key)?.[1];
  if (installed.version !== locked)
    return `${folder} has ${name} ${installed.version} installed, and pnpm-lock.yaml says ${locked}`;
  return {
    version: installed.version,
    licence: installed.license ?? "",
    repository: repositoryOf(installed),
    script: scriptOf(root, name, installed, join(root, folder, "node_modules", name)),
    brings: String(countBrought(lockfile, key)),
  };
}

/** `git+ssh://git@host/owner/name.git`, `host:owner/name`, `owner/name` -> `owner/name`. */
function repositoryOf({ repository }: Installed): string {
  const url = (typeof repository === "string" ? repository : repository?.url) ?? "";
  return /([^/:]+\/[^/]+?)(?:\.git)?(?:\/tree\/.*)?$/.exec(url.replace(/#.*$/, ""))?.[1] ?? "";
}

/** pnpm runs the script of a package only where pnpm-workspace.yaml allows it, and refuses one that is not named there. */
function scriptOf(root: string, name: string, { scripts = {} }: Installed, folder: string): string {
  const has = ["preinstall", "install", "postinstall"].some((script) => script in scripts);
  if (!has && !existsSync(join(folder, "binding.gyp"))) return "no";
  const workspace = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    readonly allowBuilds?: Readonly<Record<string, boolean>>;
  };
  return workspace.allowBuilds?.[name] === true ? "runs" : "kept from running";
}
