import { expect, test } from "vitest";
import { nearName } from "./near-name.ts";

const known = ["maxResumes", "version", "verify", "runId"];

test.each([
  ["maxresumes", "maxResumes"],
  ["max_resumes", "maxResumes"],
  ["maxResume", "maxResumes"],
  ["maxResumess", "maxResumes"],
  ["maxResunes", "maxResumes"],
  ["verison", "version"],
  ["runid", "runId"],
  ["verifi", "verify"],
])("DUR-12 %s was probably meant to be %s", (missed, meant) => {
  expect(nearName(missed, known)).toBe(meant);
});

test.each(["", "x", "retries", "maximum", "v".repeat(1_000)])("DUR-12 %s is near to none", (missed) => {
  expect(nearName(missed, known)).toBeUndefined();
});
