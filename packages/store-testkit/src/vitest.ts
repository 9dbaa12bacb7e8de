import * as vitest from "vitest";
import type { TestRunner } from "./describe-store.ts";

/** Registers the kit's tests with vitest. What is left out is a skipped test whose title says why. */
export const vitestRunner: TestRunner = {
  describe: (title, body) => vitest.suite(title, body),
  test: (title, timeoutMs, body) => vitest.test(title, { timeout: timeoutMs }, body),
  skip: (title, reason) => vitest.test(`${title} (left out: ${reason})`, { skip: true }, () => undefined),
};
