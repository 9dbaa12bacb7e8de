import { expect, test } from "vitest";
import { help, readCommand } from "./command-line.ts";
import { chunksDefault } from "./graph/index-graph.ts";
import { Problem } from "./problem.ts";

test("without arguments everything is at its default", () => {
  expect(readCommand([])).toEqual({ kind: "index", chunks: chunksDefault, fresh: false });
});

test("every option is read", () => {
  const words =
    "notes --out o --store s --run-id r --fresh --chunks 3 --search cursor --flaky 0.5 --seed 7 --slow 10 --trace t";
  expect(readCommand(words.split(" "))).toEqual({
    kind: "index",
    folder: "notes",
    out: "o",
    store: { kind: "file", path: "s" },
    runId: "r",
    fresh: true,
    chunks: 3,
    search: "cursor",
    faults: { probability: 0.5, seed: 7 },
    slowMs: 10,
    traceFile: "t",
  });
});

test("help explains each option", () => {
  expect(readCommand(["--chunks", "3", "-h"])).toEqual({ kind: "help" });
  for (const option of [
    "--out",
    "--store",
    "--run-id",
    "--fresh",
    "--chunks",
    "--search",
    "--flaky",
    "--seed",
    "--slow",
    "--trace",
  ]) {
    expect(help).toContain(`  ${option}`);
  }
});

const refusals: readonly (readonly [string, RegExp])[] = [
  ["--unknown", /^there is no option --unknown\n/u],
  ["--unknown=3", /^there is no option --unknown\n/u],
  ["docs -x", /^there is no option -x\n/u],
  ["--fresh=yes", /^--fresh takes no value\n/u],
  ["--seed -3", /^--seed has no value, unless "-3" is it: then write --seed=-3\n/u],
  ["a b", /one folder at a time: "a", "b"/u],
  ["--chunks 0", /--chunks takes a whole number from 1 to 64, not "0"/u],
  ["--chunks 2.5", /--chunks takes a whole number/u],
  ["--chunks=", /--chunks takes a whole number from 1 to 64, not ""/u],
  ["--flaky 1.5", /--flaky takes a number from 0 to 1, not "1.5"/u],
  ["--slow soon", /--slow takes a whole number/u],
  ["--store=", /--store has no value/u],
  ["--out", /^--out has no value\n/u],
];

test.each(refusals)("%s is refused with exit code 2 and a way out", (words, message) => {
  let caught: unknown;
  try {
    readCommand(words.split(" "));
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(Problem);
  expect(caught).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect((caught as Problem).message).toContain("--help");
});
