import { expect, test } from "vitest";
import { help, readCommand } from "./command-line.ts";
import { Problem } from "./problem.ts";

test("every option is read, and explained", () => {
  expect(readCommand(["a.log"])).toEqual({
    kind: "tail",
    log: "a.log",
    follow: false,
    prefix: "",
    store: { kind: "file", path: ".pulse/runs" },
    fresh: false,
  });
  const words = "a.log --follow --prefix /api --store sqlite:./r.db --out o --run-id r --fresh";
  expect(readCommand(words.split(" "))).toEqual({
    kind: "tail",
    log: "a.log",
    follow: true,
    prefix: "/api",
    store: { kind: "sqlite", path: "./r.db" },
    out: "o",
    runId: "r",
    fresh: true,
  });
  for (const option of words.split(" ").filter((word) => word.startsWith("--"))) expect(help).toContain(`  ${option}`);
  expect(readCommand(["--help"])).toEqual({ kind: "help" });
});

test.each([
  ["", /give one file/u],
  ["a b", /give one file/u],
  ["a --follow --until-end", /exclude each other/u],
  ["a --bogus", /--bogus/u],
  ["a --store mongo:x", /there is no store mongo:/u],
  ["a --out=", /--out has no value/u],
])("%j is refused with exit code 2", (words, message) => {
  const read = (): unknown => readCommand(words.split(" ").filter((word) => word !== ""));
  expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }));
  expect(read).toThrow(Problem);
});
