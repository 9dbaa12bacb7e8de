import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { currentStamp, install } from "./install.mjs";
import { lowestNode, nodeRefusal, pnpmVersion } from "./machine.mjs";

const repository = {
  "package.json": { packageManager: "pnpm@12.4.2" },
  "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
  "pnpm-workspace.yaml": "packages: []\n",
  "node_modules/present": "",
};

test("a Node below the lowest supported one is refused with both versions, a newer one is not", () => {
  expect(nodeRefusal("20.18.3")).toBe(
    "Setting up Pulse needs Node 20.19.0 or newer; this is Node 20.18.3. Install a newer Node and try again.",
  );
  expect(nodeRefusal("18.20.8")).toContain("this is Node 18.20.8");
  expect(["20.19.0", "20.20.2", "22.0.0", "24.1.0-pre"].map(nodeRefusal)).toEqual(Array(4).fill(undefined));
});

test("the lowest Node is the one that package.json names", () => {
  const { engines } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  expect(`${engines.node}.0`).toBe(`>=${lowestNode}`);
});

test("the very pnpm of the packageManager field is called, with the lockfile frozen, and then not again", () => {
  using tree = plant(repository);
  const calls: string[] = [];
  const run = (command: string, args: string[]) => {
    calls.push([command, ...args].join(" "));
    return 0;
  };
  expect(install(tree.root, run)).toBe("installed");
  expect(install(tree.root, run)).toBe("current");
  expect(calls).toEqual(["npx -y pnpm@12.4.2 install --frozen-lockfile"]);

  writeFileSync(join(tree.root, "pnpm-lock.yaml"), "lockfileVersion: '9.1'\n");
  expect(install(tree.root, run)).toBe("installed");
  expect(calls).toHaveLength(2);
});

test("an installation that failed is an error with its command and code, and is tried again", () => {
  using tree = plant(repository);
  expect(() => install(tree.root, () => 7)).toThrow(/pnpm@12\.4\.2 install --frozen-lockfile" ended with code 7/);
  expect(install(tree.root, () => 0)).toBe("installed");
});

test("another Node ABI or platform is another installation", () => {
  using tree = plant(repository);
  const stamp = currentStamp(tree.root);
  expect(stamp).toContain(`node-abi-${process.versions.modules}`);
  expect(stamp).toContain(`${process.platform}-${process.arch}`);
});

test("a packageManager field that names no pnpm version is refused", () => {
  expect(pnpmVersion("pnpm@12.4.2+sha512.abc")).toBe("12.4.2");
  expect(() => pnpmVersion("npm@11.0.0")).toThrow('"npm@11.0.0"');
});
