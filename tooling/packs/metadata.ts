import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackedFiles } from "./contents.ts";

/** What a published package.json says, as far as it is checked here; publint and attw judge `exports`. */
interface Published {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: unknown;
  readonly engines?: { readonly node?: string };
  readonly publishConfig?: { readonly access?: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Scripts that npm runs on the machine of whoever installs the package. */
const installScripts = ["preinstall", "install", "postinstall", "prepare"];

/** The package.json inside the tarball agrees with the repository's own and is fit for a registry; so is the licence. */
export function checkMetadata(root: string, files: PackedFiles): string[] {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Published;
  const packed = JSON.parse(files.get("package.json")?.toString("utf8") ?? "{}") as Published;
  const licence = files.get("LICENSE")?.toString("utf8");
  const ranges = Object.entries({ ...packed.dependencies, ...packed.peerDependencies, ...packed.optionalDependencies });
  const facts: readonly (readonly [boolean, string])[] = [
    [/^\d+\.\d+\.\d+/.test(packed.version ?? ""), "version is not three numbers"],
    [(packed.description ?? "") !== "", "has no description"],
    [packed.license === own.license, `license is not the repository's ${own.license}`],
    [
      licence === undefined || licence === readFileSync(join(root, "LICENSE"), "utf8"),
      "LICENSE is not the repository's",
    ],
    [packed.type === "module", `type is not "module"`],
    [packed.sideEffects === false, "sideEffects is not false, so that bundlers keep what nobody uses"],
    [packed.engines?.node === own.engines?.node, `engines.node is not the repository's ${own.engines?.node}`],
    [packed.publishConfig?.access === "public", "publishConfig.access is not public"],
    [!installScripts.some((script) => script in (packed.scripts ?? {})), "runs a script when it is installed"],
    ...ranges.map(
      ([name, range]) => [!/^(workspace|catalog|file|link):/.test(range), `depends on ${name} as ${range}`] as const,
    ),
  ];
  return facts.filter(([holds]) => !holds).map(([, problem]) => `${packed.name}: ${problem}`);
}
