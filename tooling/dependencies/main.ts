import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkDependencies, page, readAllFacts } from "./check.ts";
import { withFacts } from "./page.ts";

// `--write` fills in what the lockfile and the installed packages say; the rows and their reasons are written by hand.
if (process.argv.includes("--write")) {
  const { known } = readAllFacts(repositoryRoot);
  const path = join(repositoryRoot, page);
  writeFileSync(
    path,
    withFacts(readFileSync(path, "utf8"), (name) => known.get(name)),
  );
}
finish(checkDependencies(repositoryRoot));
