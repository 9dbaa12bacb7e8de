import { expect, test } from "vitest";
import { titleLengthMax, titleOf } from "./title.ts";

test("the first heading is the title, without its marks", () => {
  expect(titleOf("a/b.md", "text\n\n## The `store` and [its *kin*](x.md) ##\n# Later")).toBe("The store and its kin");
  expect(titleOf("b.markdown", "Underlined\n=====\n")).toBe("Underlined");
});

test("a heading inside a fence is code", () => {
  expect(titleOf("b.md", "```sh\n# comment\n```\n# Real")).toBe("Real");
});

test("a file without a heading, or that is no Markdown, is called by its name", () => {
  expect(titleOf("a/notes.md", "no heading")).toBe("notes.md");
  expect(titleOf("a/notes.txt", "# not a heading here")).toBe("notes.txt");
});

test("a long title is cut between characters", () => {
  const title = titleOf("b.md", `# ${"😀".repeat(titleLengthMax + 1)}`);
  expect([...title]).toHaveLength(titleLengthMax);
  expect(title.endsWith("😀…")).toBe(true);
});
