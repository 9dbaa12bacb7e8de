// npm test: sets up and runs every test of every project, type tests included. Arguments go to vitest:
// `npm test -- --project @pulse-ts/core`.
import { install } from "./setup/install.mjs";
import { root, runBin } from "./setup/workspace-bin.mjs";

/** Where .ci/run wants a report that can be counted; set by it alone. */
const reportFile = process.env["PULSE_TEST_REPORT"];

try {
  install(root);
  const report =
    reportFile === undefined ? [] : ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  process.exitCode = await runBin("vitest", ["run", ...report, ...process.argv.slice(2)]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
