import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../source/workspace.ts";
import { readDocumentation } from "./blocks.ts";
import { typeErrors, writeBlocks } from "./compile.ts";
import { runBlock, verdict } from "./run-block.ts";

const documentation = readDocumentation(repositoryRoot);
const files = writeBlocks(documentation.blocks);
// One program for all blocks; it is made here because a busy machine may need longer for it than a test may last.
const errors = typeErrors(files);

test("the documentation has blocks, and their marks are known", () => {
  expect(documentation.blocks.length).toBeGreaterThan(0);
  expect(documentation.problems).toEqual([]);
});

describe("a block of the documentation type-checks and runs", () => {
  const cases = files.map((file) => [`${file.block.path}:${file.block.line}`, file] as const);
  test.each(cases)("%s", async (_place, blockFile) => {
    expect(errors.get(blockFile.block) ?? []).toEqual([]);
    const { use, throws } = blockFile.block;
    expect(use === "run" ? verdict(throws, await runBlock(blockFile)) : undefined).toBeUndefined();
  });
});
