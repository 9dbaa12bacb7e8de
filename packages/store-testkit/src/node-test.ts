import { describe, test } from "node:test";
import type { TestRunner } from "./describe-store.ts";

/** Registers the kit's tests with Node's own test runner. What is left out is a skipped test with its reason. */
export const nodeTestRunner: TestRunner = {
  describe(title, body) {
    // Node tells failures of a group through its tests.
    void describe(title, body);
  },
  test(title, timeoutMs, body) {
    void test(title, { timeout: timeoutMs }, body);
  },
  skip(title, reason) {
    void test(title, { skip: `left out: ${reason}` });
  },
};
