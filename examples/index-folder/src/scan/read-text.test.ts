import { expect, test } from "vitest";
import { fileBytesMax } from "./deal.ts";
import { PassingFailure, readText } from "./read-text.ts";
import type { FileReader } from "./read-text.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const steady = (bytes: Uint8Array): FileReader => ({
  state: () => Promise.resolve({ bytes: bytes.byteLength, modified: "1" }),
  read: () => Promise.resolve(bytes),
});
const failing = (code: string): FileReader => ({
  state: () => Promise.reject(Object.assign(new Error("no"), { code })),
  read: () => Promise.reject(new Error("not asked")),
});
const read = (reader: FileReader) => readText(reader, "/folder", { path: "a.md" });

test("a text is read with its title, lines and terms", async () => {
  expect(await read(steady(encode("# Ünï\nword word\n")))).toEqual({
    path: "a.md",
    title: "Ünï",
    bytes: 18,
    lines: 2,
    digest: "8f05178aa87a773b9ee057ae1763d1e289933a5612651aff69501b0829b186bf",
    outsideProse: [],
    terms: [
      ["word", 2],
      ["ünï", 1],
    ],
  });
});

test("an empty file and a byte order mark are text", async () => {
  expect(await read(steady(encode("")))).toMatchObject({ lines: 0, terms: [] });
  expect(await read(steady(encode("\ufeff# Title")))).toMatchObject({ title: "Title" });
});

test("what is no text is left out with its reason", async () => {
  expect(await read(steady(Uint8Array.of(65, 0, 66)))).toEqual({ path: "a.md", reason: "binary data, no text" });
  expect(await read(steady(Uint8Array.of(0xc3, 0x28)))).toEqual({ path: "a.md", reason: "not valid UTF-8" });
  expect(await read(steady(new Uint8Array(fileBytesMax + 1)))).toEqual({ path: "a.md", reason: "larger than 4 MiB" });
});

test("what another try would not mend is left out, and what it may mend is a passing failure", async () => {
  expect(await read(failing("EACCES"))).toEqual({ path: "a.md", reason: "no permission to read it" });
  expect(await read(failing("ENOENT"))).toEqual({ path: "a.md", reason: "gone since the folder was scanned" });
  await expect(read(failing("EMFILE"))).rejects.toBeInstanceOf(PassingFailure);
  await expect(read(failing("EOTHER"))).rejects.not.toBeInstanceOf(PassingFailure);
});

test("a file that grows, shrinks or is written while it is read is a passing failure", async () => {
  const bytes = encode("text");
  const changing = (...states: [number, string][]): FileReader => ({
    state: () => {
      const [size, modified] = states.shift() ?? [0, "asked too often"];
      return Promise.resolve({ bytes: size, modified });
    },
    read: () => Promise.resolve(bytes),
  });
  await expect(read(changing([4, "1"], [5, "2"]))).rejects.toThrow("a.md changed while it was read");
  await expect(read(changing([4, "1"], [4, "2"]))).rejects.toBeInstanceOf(PassingFailure);
  await expect(read(changing([3, "1"], [3, "1"]))).rejects.toBeInstanceOf(PassingFailure);
  expect(await read(changing([4, "2"], [4, "2"]))).toMatchObject({ bytes: 4 });
});
