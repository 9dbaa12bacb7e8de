import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkLinks, linksOf } from "./check.ts";

const tree = {
  "README.md": "[guide](docs/guide.md#start) and [docs](docs), [top](/docs/guide.md)\n",
  "docs/guide.md": "[back](../README.md)\n\n![picture](<two words.svg>)\n",
  "docs/two words.svg": "<svg/>",
};

function problemsWith(planted: Readonly<Record<string, string>>): readonly string[] {
  using root = plant({ ...tree, ...planted });
  return checkLinks(root.root).problems;
}

test("the links of this repository lead somewhere", () => {
  const report = checkLinks(repositoryRoot);
  expect(report.problems).toEqual([]);
  expect(judge(report).passed).toBe(true);
});

test("links to files, folders and images are counted, from the file and from the top", () => {
  using root = plant(tree);
  expect(checkLinks(root.root)).toMatchObject({ counted: { files: 2, "relative links": 5 }, problems: [] });
});

test("a link to what is not there is caught, with its place", () => {
  expect(problemsWith({ "docs/guide.md": "[back](../README.md)\n[on](next.md#part)\n[a]: gone/ 'A title'\n" })).toEqual(
    ["docs/guide.md:2: next.md is not there", "docs/guide.md:3: gone/ is not there"],
  );
});

test("a link out of the repository and one that is no link are caught", () => {
  expect(problemsWith({ "docs/guide.md": "[out](../../etc/passwd) [odd](%zz.md)\n" })).toEqual([
    "docs/guide.md:1: ../../etc/passwd leads out of the repository",
    "docs/guide.md:1: %zz.md is no well-formed link",
  ]);
});

test("addresses, anchors of the page and links in code are left alone", () => {
  const text = [
    "[a](https://example.org/x) [b](mailto:x@example.org) [c](#part) `[d](gone.md)` ``[e](`gone.md)``",
    "```md",
    "[f](gone.md)",
    "```",
    "[g](there.md)",
  ].join("\n");
  expect(linksOf(text)).toEqual([{ line: 5, target: "there.md" }]);
});

test("an empty tree fails instead of passing", () => {
  using root = plant({});
  expect(judge(checkLinks(root.root)).passed).toBe(false);
});
