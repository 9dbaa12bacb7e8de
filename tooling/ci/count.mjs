// How .ci/run counts: it reads vitest's JSON report, in which type tests stand beside the others.

/**
 * @typedef {{ status: string, fullName: string }} Assertion
 * @typedef {{ name: string, status: string, assertionResults: Assertion[] }} TestFile
 * @typedef {{ passed: number, failed: number, notRun: string[] }} Count
 */

/**
 * What a store says of itself that it does not do is no test that was missed: the kit registers it as skipped, for a
 * reader of the report, with this in its title.
 */
const leftOut = " (left out: ";

/**
 * Tests passed and failed. A file that failed without a failed test in it (it could not be loaded) counts as one
 * failure; a report that is missing, unreadable or empty does as well.
 * @param {string} text the report
 * @returns {Count}
 */
export function count(text) {
  const files = read(text);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const of = (/** @type {string} */ status) => tests.filter((test) => test.status === status);
  const brokenFiles = files.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const passed = of("passed").length;
  const failed = of("failed").length + brokenFiles.length;
  const notRun = tests
    .filter(({ status, fullName }) => status !== "passed" && status !== "failed" && !fullName.includes(leftOut))
    .map(({ fullName }) => fullName);
  return { passed, failed: passed + failed === 0 ? 1 : failed, notRun };
}

/**
 * @param {string} text
 * @returns {TestFile[]}
 */
function read(text) {
  try {
    return JSON.parse(text).testResults ?? [];
  } catch {
    // vitest died before it wrote its report; the caller counts that as a failure.
    return [];
  }
}
