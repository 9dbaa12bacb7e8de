import { expect, test } from "vitest";
import { reportFolderFor, runNameFor } from "./run-name.ts";

test("the same folder has the same run, two of one name have two", () => {
  expect(runNameFor("/a/My Notes")).toMatch(/^index-my-notes-[0-9a-f]{8}$/u);
  expect(runNameFor("/a/My Notes")).toBe(runNameFor("/a/My Notes"));
  expect(runNameFor("/a/notes")).not.toBe(runNameFor("/b/notes"));
  expect(runNameFor("/")).toMatch(/^index-folder-/u);
});

test("a run's reports lie under its own name, or under one that any system takes and no other run has", () => {
  expect(["x2", runNameFor("/docs")].map(reportFolderFor)).toEqual(["x2", runNameFor("/docs")]);
  const odd = ["Trial", "trial", "TRIAL", "../../x", "..", "con", "CON", "a\0b", "a b", "a-b", "x".repeat(200), "港"];
  const folders = odd.map(reportFolderFor);
  expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(odd.length);
  for (const name of [...folders, reportFolderFor(folders[0] ?? "")]) expect(name).toMatch(/^[a-z0-9-]{1,64}$/u);
  expect(reportFolderFor(folders[0] ?? "")).not.toBe(folders[0]);
});
