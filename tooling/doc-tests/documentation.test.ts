import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../source/workspace.ts";
import { readDocumentation, type Block } from "./blocks.ts";
import { typeErrors, writeBlocks } from "./compile.ts";
import { runBlock, verdict } from "./run-block.ts";

const documentation = readDocumentation(repositoryRoot);
const files = writeBlocks(documentation.blocks);
let errors: Map<Block, string[]> | undefined;

test("the documentation has blocks, and their marks are known", () => {
  expect(documentation.blocks.length).toBeGreaterThan(0);
  expect(documentation.problems).toEqual([]);
});

describe("a block of the documentation type-checks and runs", () => {
  const cases = files.map((file) => [`${file.block.path}:${file.block.line}`, file] as const);
  test.each(cases)("%s", async (_place, blockFile) => {
    // One program for all blocks, made when the first of them is tested.
    errors ??= typeErrors(files);
    expect(errors.get(blockFile.block) ?? []).toEqual([]);
    const { use, throws } = blockFile.block;
    expect(use === "run" ? verdict(throws, await runBlock(blockFile)) : undefined).toBeUndefined();
  });
});
