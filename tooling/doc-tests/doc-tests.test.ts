import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { blocksOf } from "./blocks.ts";
import { countBlocks } from "./check.ts";
import { typeErrors, writeBlocks } from "./compile.ts";
import { runBlock, verdict } from "./run-block.ts";

const page = `# Title

\`\`\`ts
const a = 1;
\`\`\`

- in a list

  \`\`\`ts throws=PULSE_BUSY
  const b = 2;
    indented();
  \`\`\`

\`\`\`ts no-run
import { c } from "c";
\`\`\`

\`\`\`ts no-run
interface Fragment {}
\`\`\`

\`\`\`json
{ "not": "ts" }
\`\`\`

\`\`\`\`md
\`\`\`ts
shown, not run
\`\`\`
\`\`\`\`
`;

function blockFiles(root: string, code: string) {
  return writeBlocks([{ path: "docs/a.md", line: 10, code, use: "run" }], `${root}/blocks`);
}

async function run(code: string, throws?: string): Promise<string | undefined> {
  using tree = plant({});
  const [file] = blockFiles(tree.root, code);
  return file === undefined ? "no file" : verdict(throws, await runBlock(file));
}

test("blocks are found with their lines and marks", () => {
  expect(blocksOf({ path: "a.md", text: page })).toEqual({
    blocks: [
      { path: "a.md", line: 4, code: "const a = 1;", use: "run" },
      { path: "a.md", line: 10, code: "const b = 2;\n  indented();", use: "run", throws: "PULSE_BUSY" },
      { path: "a.md", line: 15, code: 'import { c } from "c";', use: "check" },
      { path: "a.md", line: 19, code: "interface Fragment {}", use: "fragment" },
    ],
    problems: [],
  });
});

test("an unknown mark is caught", () => {
  using tree = plant({ "README.md": "```ts norun\n```\n\n```ts\n```\n" });
  const report = countBlocks(tree.root);
  expect(report.problems).toEqual(['README.md:1: unknown mark "norun" on a ts block']);
  expect(judge(report).passed).toBe(false);
});

test("every page but the contract is read, and a tree without blocks fails", () => {
  const block = "```ts\n```\n";
  using tree = plant({
    "README.md": block,
    "packages/p/package.json": {},
    "packages/p/README.md": block,
    "docs/errors/A.md": block,
    "docs/contract/a.md": block,
  });
  expect(countBlocks(tree.root).counted).toEqual({ files: 3, "ts blocks": 3, "run as tests": 3 });
  using empty = plant({ "README.md": "# Nothing" });
  expect(judge(countBlocks(empty.root)).passed).toBe(false);
});

test("a type error is caught at its line of the page", () => {
  using tree = plant({});
  const files = blockFiles(tree.root, "const a = 1;\nconst b: string = a;");
  expect([...typeErrors(files).values()]).toEqual([
    ["docs/a.md:11: Type 'number' is not assignable to type 'string'."],
  ]);
});

test("a block that throws fails, one that runs through passes", async () => {
  expect(await run("throw new Error('wrong');")).toBe("threw Error: wrong");
  expect(await run("await Promise.resolve(1);")).toBeUndefined();
});

test("a block that must throw a code fails when it ends well or throws another", async () => {
  const problems = `throw Object.assign(new Error("x"), { code: "PULSE_INVALID", details: { problems: [{ code: "PULSE_CYCLE" }] } });`;
  expect(await run(problems, "PULSE_CYCLE")).toBeUndefined();
  expect(await run(problems, "PULSE_INVALID")).toBeUndefined();
  expect(await run(problems, "PULSE_BUSY")).toContain("must throw PULSE_BUSY, but threw PULSE_INVALID, PULSE_CYCLE");
  expect(await run("const a = 1;", "PULSE_BUSY")).toBe("must throw PULSE_BUSY, but ended well");
});
