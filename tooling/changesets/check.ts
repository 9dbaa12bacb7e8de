import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishedPackages } from "../packs/tarballs.ts";
import type { Report } from "../source/report.ts";
import { runProgram, type Run } from "../source/run-program.ts";
import { readPackages } from "../source/workspace.ts";

interface Released {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
}

/** What a package has that no changeset ever gave a version. */
const unreleased = "0.0.0";

/**
 * Releases a copy of the repository: every changeset is applied as `changeset version` would, and each package must come
 * out with a version and a changelog. Where the branch `main` is known, `changeset status` also says which packages were
 * changed since it without a changeset.
 */
export async function checkChangesets(root: string, run: Run = runProgram(root)): Promise<Report> {
  const written = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md") && name !== "README.md");
  const copy = mkdtempSync(join(tmpdir(), "pulse-release-"));
  try {
    copyForRelease(root, copy);
    const { code, text } = await run("changeset", ["version"], copy);
    const released = publishedPackages(copy).map(({ folder }) => readReleased(copy, folder));
    const problems =
      code === 0 ? released.flatMap((item) => releaseProblems(copy, item)) : [`changeset version:\n${text}`];
    const status = await statusSinceMain(root, run);
    return {
      name: "changesets",
      // Right after a release there is no changeset left, which is no fault.
      counted: { packages: released.length },
      problems: [...problems, ...status.problems],
      notes: [
        `changesets: ${written.length}; the next release: ${released.map(({ name, version }) => `${name} ${version}`).join(", ")}`,
        ...status.notes,
      ],
    };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What `changeset version` reads: the changesets, and every manifest of the workspace. */
function copyForRelease(root: string, copy: string): void {
  const manifests = (["packages", "examples"] as const).flatMap((parent) => readPackages(root, parent));
  const paths = manifests.flatMap(({ folder }) => [`${folder}/package.json`, `${folder}/CHANGELOG.md`]);
  for (const path of [".changeset", "package.json", "pnpm-workspace.yaml", ...paths])
    if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
}

function readReleased(copy: string, folder: string): Released {
  const manifest = JSON.parse(readFileSync(join(copy, folder, "package.json"), "utf8")) as Partial<Released>;
  return { folder, name: manifest.name ?? folder, version: manifest.version ?? unreleased };
}

function releaseProblems(copy: string, { folder, name, version }: Released): string[] {
  if (version === unreleased) return [`${folder}: no changeset names ${name}; write one with "npm run changeset"`];
  const changelog = join(copy, folder, "CHANGELOG.md");
  if (existsSync(changelog) && readFileSync(changelog, "utf8").includes(`## ${version}`)) return [];
  return [`${folder}: ${name} becomes ${version}, which its CHANGELOG.md does not tell of`];
}

async function statusSinceMain(root: string, run: Run) {
  const main = await run("git", ["merge-base", "main", "HEAD"], root);
  if (main.code !== 0) return { problems: [], notes: ["not compared with main: this clone does not have it"] };
  const { code, text } = await run("changeset", ["status"], root);
  return { problems: code === 0 ? [] : [`changeset status:\n${text.trim()}`], notes: [] };
}
