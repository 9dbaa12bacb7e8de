import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import type { Run } from "../source/run-program.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkChangesets } from "./check.ts";

const tree = {
  "package.json": { name: "planted", private: true, packageManager: "pnpm@12.4.2" },
  "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
  ".changeset/config.json": { changelog: "@changesets/cli/changelog", baseBranch: "main", access: "public" },
  ".changeset/first.md": `---\n"@pulse-ts/p": minor\n---\n\nThe first release.\n`,
  "packages/p/package.json": { name: "@pulse-ts/p", version: "0.0.0" },
  "packages/hidden/package.json": { name: "hidden", private: true },
};

/** A tree in which the real programs of this repository are found. */
function plantWithPrograms(files: Readonly<Record<string, string | object>>) {
  const planted = plant(files);
  symlinkSync(join(repositoryRoot, "node_modules"), join(planted.root, "node_modules"));
  return planted;
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=planted", "-c", "user.email=planted@example.invalid"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

test("changesets that give every package a version and a changelog pass, and nothing is written here", async () => {
  using planted = plantWithPrograms(tree);
  const report = await checkChangesets(planted.root);
  expect(report).toEqual({
    name: "changesets",
    counted: { packages: 1 },
    problems: [],
    notes: [
      "changesets: 1; the next release: @pulse-ts/p 0.1.0",
      "not compared with main: this clone does not have it",
    ],
  });
  expect((await checkChangesets(planted.root)).problems).toEqual([]);
});

test("a package that no changeset names, and a changeset of a package that is not there, are caught", async () => {
  using forgotten = plantWithPrograms({
    ...tree,
    "packages/q/package.json": { name: "@pulse-ts/q", version: "0.0.0" },
  });
  expect((await checkChangesets(forgotten.root)).problems).toEqual([
    `packages/q: no changeset names @pulse-ts/q; write one with "npm run changeset"`,
  ]);

  using unknown = plantWithPrograms({ ...tree, ".changeset/first.md": `---\n"@pulse-ts/gone": minor\n---\n\nGone.\n` });
  expect((await checkChangesets(unknown.root)).problems.join("\n")).toContain("@pulse-ts/gone");
});

test("where main is known, a package that was changed since it without a changeset is caught", async () => {
  const { ".changeset/first.md": _none, ...rest } = tree;
  const changelog = "# @pulse-ts/p\n\n## 1.0.0\n\nReleased.\n";
  using planted = plantWithPrograms({
    ...rest,
    ".gitignore": "node_modules\n",
    "packages/p/package.json": { name: "@pulse-ts/p", version: "1.0.0" },
    "packages/p/CHANGELOG.md": changelog,
    "packages/p/index.js": "",
  });
  git(planted.root, "init", "-q", "-b", "main");
  git(planted.root, "add", ".");
  git(planted.root, "commit", "-q", "-m", "released");
  expect(judge(await checkChangesets(planted.root)).passed).toBe(true);

  git(planted.root, "checkout", "-q", "-b", "work");
  git(planted.root, "mv", "packages/p/index.js", "packages/p/renamed.js");
  git(planted.root, "commit", "-q", "-m", "changed");
  expect((await checkChangesets(planted.root)).problems.join("\n")).toContain("no changesets were found");
});

test("a release that does not end, and one without a changelog, are problems; a tree without packages fails", async () => {
  using planted = plant(tree);
  const failing: Run = async () => ({ code: 1, text: "planted" });
  expect((await checkChangesets(planted.root, failing)).problems).toEqual(["changeset version:\nplanted"]);

  using released = plant({ ...tree, "packages/p/package.json": { name: "@pulse-ts/p", version: "1.0.0" } });
  const nothing: Run = async () => ({ code: 0, text: "" });
  expect((await checkChangesets(released.root, nothing)).problems).toEqual([
    "packages/p: @pulse-ts/p becomes 1.0.0, which its CHANGELOG.md does not tell of",
  ]);

  using empty = plant({ ...tree, "packages/p/package.json": { name: "@pulse-ts/p", private: true } });
  expect(judge(await checkChangesets(empty.root, nothing)).passed).toBe(false);
});
