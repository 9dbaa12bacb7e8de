// node tooling/ci/main.mjs <report> <CI>: prints "passed failed" for .ci/run, and on stderr the tests that did not run.
import { existsSync, readFileSync } from "node:fs";
import { count } from "./count.mjs";

const [report = ""] = process.argv.slice(2);
const { passed, failed, notRun } = count(existsSync(report) ? readFileSync(report, "utf8") : "");
for (const name of notRun) console.error(`not run: ${name}`);
// Under CI nothing may be left out.
console.log(passed, failed + (process.env["CI"] === "true" ? notRun.length : 0));
