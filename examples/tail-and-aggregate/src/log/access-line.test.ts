import { expect, test } from "vitest";
import { readAccessLine } from "./access-line.ts";

test("a line gives its minute in UTC, path and status; what stands after the status is left alone", () => {
  const line = '203.0.113.9 - frank [10/Oct/2026:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326';
  expect(readAccessLine(line)).toEqual({ minute: "2026-10-10T20:55Z", path: "/a.gif?x=1", status: "200" });
  expect(readAccessLine(`${line} "https://example.org/" "agent"`)).toMatchObject({ status: "200" });
});

test.each([
  "",
  "no log at all",
  '203.0.113.9 - - [10/Foo/2026:13:55:36 -0700] "GET / HTTP/1.0" 200 1',
  '203.0.113.9 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.0" OK 1',
])("%j is none of an access log", (line) => {
  expect(readAccessLine(line)).toBe(undefined);
});
