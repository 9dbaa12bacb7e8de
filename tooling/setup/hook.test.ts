import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { installHook } from "./hook.mjs";

/** A repository whose `oxfmt` finds fault with a file called `unformatted`. */
function plantRepository() {
  const tree = plant({
    "node_modules/.bin/oxfmt": "#!/bin/sh\n[ ! -e unformatted ]\n",
    ".gitignore": "node_modules\n",
  });
  chmodSync(join(tree.root, "node_modules/.bin/oxfmt"), 0o755);
  git(tree.root, "init", "-q");
  return tree;
}

function git(cwd: string, ...args: readonly string[]) {
  const identity = ["-c", "user.name=planted", "-c", "user.email=planted@example.invalid"];
  return spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
}

test("a commit with an unformatted file is refused once the hook is there, and one without passes", () => {
  using tree = plantRepository();
  git(tree.root, "add", ".");
  expect(installHook(tree.root)).toEqual({ path: join(tree.root, ".git/hooks/pre-commit"), made: true });
  expect(git(tree.root, "commit", "-q", "-m", "formatted").status).toBe(0);

  writeFileSync(join(tree.root, "unformatted"), "");
  git(tree.root, "add", ".");
  expect(git(tree.root, "commit", "-q", "-m", "unformatted").status).toBe(1);
});

test("a hook that is there stays as it is", () => {
  using tree = plantRepository();
  const { path } = installHook(tree.root);
  writeFileSync(path, "#!/bin/sh\necho own\n");
  expect(installHook(tree.root)).toEqual({ path, made: false });
  expect(readFileSync(path, "utf8")).toContain("echo own");
});

test("a folder that is no repository is refused in words", () => {
  using tree = plant({});
  expect(() => installHook(tree.root)).toThrow(/^Installing the hook: git does not know/);
});
