import { expect, test } from "vitest";
import { Problem } from "../problem.ts";
import { placeFrom, readStorePlace, shownAddress } from "./store-place.ts";

const secret = "s3cret";

test("a path is a folder of files, a scheme names the kind of store", () => {
  expect(readStorePlace("runs")).toEqual({ kind: "file", path: "runs" });
  expect(readStorePlace("C:\\runs")).toEqual({ kind: "file", path: "C:\\runs" });
  expect(readStorePlace("./a b/c")).toEqual({ kind: "file", path: "./a b/c" });
  for (const text of ["file:./runs", "FILE:./runs"]) {
    expect(readStorePlace(text)).toEqual({ kind: "file", path: "./runs" });
  }
  for (const text of ["file:/tmp/runs", "file:///tmp/runs"]) {
    expect(readStorePlace(text)).toEqual({ kind: "file", path: "/tmp/runs" });
  }
  expect(readStorePlace("sqlite:runs.db")).toEqual({ kind: "sqlite", path: "runs.db" });
  for (const address of [`postgres://a:${secret}@host/runs`, "postgresql://host:5433/runs?sslmode=require"]) {
    expect(readStorePlace(address)).toEqual({ kind: "postgres", address });
  }
});

test("a relative path starts from the folder that is given; an address is shown without user and password", () => {
  expect(placeFrom("/work", { kind: "sqlite", path: "./runs.db" })).toEqual({ kind: "sqlite", path: "/work/runs.db" });
  const remote = { kind: "postgres", address: `postgres://a:${secret}@host:5433/runs?x=y` } as const;
  expect(placeFrom("/work", remote)).toBe(remote);
  expect(shownAddress(remote.address)).toBe("postgres://host:5433/runs");
});

test.each([
  ["file:", /names nothing; give a folder: file:\.\/runs/u],
  ["file://", /names nothing/u],
  ["sqlite:", /names nothing; give a file: sqlite:\.\/runs\.db/u],
  ["sqlite:~/runs.db", /your shell leaves ~ as it is there; give sqlite:"\$HOME"\/runs\.db/u],
  [`mysql://a:${secret}@host/runs`, /^there is no store mysql:; give file:.* sqlite:.* postgres:/u],
  ["postgres:runs", /begins with postgres:\/\//u],
  [`postgres://a:${secret}/with@host/runs`, /cannot be read.*%2F/u],
  [`postgres://a:${secret}@/runs`, /cannot be read|names no host/u],
  [`postgres://a:${secret}@host`, /names no database/u],
])("%s is refused with a way out", (text, message) => {
  let caught: unknown;
  try {
    readStorePlace(text);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(Problem);
  expect(caught).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect((caught as Problem).message).not.toContain(secret);
});
