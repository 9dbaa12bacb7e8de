import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { repositoryRoot } from "../source/workspace.ts";

/** Stands in for every program that .ci/run starts: `node tooling/ci/main.mjs` counts, what `FAILS` names fails. */
const program = `#!/bin/sh
case "$0 $*" in
  *tooling/ci/main.mjs*) echo "$COUNTED"; exit 0;;
esac
for name in $FAILS; do
  case "$0 $*" in *"$name"*) echo "planted in $name"; exit 1;; esac
done
exit 0
`;

const programs = ["node", "npm", "oxlint", "oxfmt", "turbo", "knip"];

interface Planted {
  readonly counted: string;
  readonly fails?: string;
  readonly lockfile?: string;
  readonly argument?: string;
}

function runCi({ counted, fails = "", lockfile = "lockfileVersion: '9.0'\n", argument = "" }: Planted) {
  using tree = plant({
    ".ci/run": readFileSync(join(repositoryRoot, ".ci/run"), "utf8"),
    "pnpm-lock.yaml": lockfile,
    ...Object.fromEntries(programs.map((name) => [`node_modules/.bin/${name}`, program])),
  });
  const own = join(tree.root, "node_modules/.bin");
  for (const name of programs) chmodSync(join(own, name), 0o755);
  const env = { PATH: `/usr/bin${delimiter}/bin`, CHROMIUM: "/bin/true", COUNTED: counted, FAILS: fails };
  const { status, stdout } = spawnSync("bash", [join(tree.root, ".ci/run"), argument], { encoding: "utf8", env });
  return { status, lines: stdout.trim().split("\n") };
}

/** How many checks there are beside the tests, and how many of them the quick run leaves out. */
const checks = 17;
const slowChecks = 4;

test("tests and checks are added up in the last line", () => {
  const { status, lines } = runCi({ counted: "100 0" });
  expect(lines.at(-1)).toBe(`${100 + checks} passed, 0 failed`);
  expect(lines.filter((line) => line.endsWith("failed"))).toHaveLength(1);
  expect(status).toBe(0);
});

test("each step prints its time", () => {
  const { lines } = runCi({ counted: "100 0" });
  expect(lines.filter((line) => /^-- .*\d+ s$/.test(line))).toHaveLength(checks + 1);
});

test("a failed test fails the run", () => {
  const { status, lines } = runCi({ counted: "99 1", fails: "bin/npm" });
  expect(lines.at(-1)).toBe(`${99 + checks} passed, 1 failed`);
  expect(status).toBe(1);
});

test("npm test that fails without a failed test counts as one failure", () => {
  const { status, lines } = runCi({ counted: "100 0", fails: "bin/npm" });
  expect(lines.at(-1)).toBe(`${100 + checks} passed, 1 failed`);
  expect(status).toBe(1);
});

test("each failed check counts, is named, and shows what it printed", () => {
  const { status, lines } = runCi({ counted: "100 0", fails: "oxlint tooling/layers/main.ts typecheck" });
  expect(lines.at(-1)).toBe(`${100 + checks - 3} passed, 3 failed`);
  expect(lines).toEqual(
    expect.arrayContaining(["failed: lint", "failed: types", "failed: layers", "planted in oxlint"]),
  );
  expect(status).toBe(1);
});

test("a lockfile that holds an address of a registry fails", () => {
  const { status, lines } = runCi({ counted: "1 0", lockfile: "tarball: https://registry.example/a.tgz\n" });
  expect(lines).toContain("failed: lockfile");
  expect(status).toBe(1);
});

test("the quick run has the checks that need no pack, and no test", () => {
  const { status, lines } = runCi({ counted: "100 0", argument: "quick", fails: "bin/npm tooling/packs" });
  expect(lines.at(-1)).toBe(`${checks - slowChecks} passed, 0 failed`);
  expect(lines).toContain("== format");
  expect(lines).not.toContain("== tests (npm test)");
  expect(status).toBe(0);
});

test("the quick run fails where a check fails, and where nothing can be installed", () => {
  const failed = runCi({ counted: "0 0", argument: "quick", fails: "bin/oxfmt" });
  expect(failed.lines).toContain("failed: format");
  expect(failed.status).toBe(1);
  expect(runCi({ counted: "0 0", argument: "quick", fails: "tooling/setup.mjs" }).status).toBe(1);
});
