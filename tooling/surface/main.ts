import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkSurface } from "./check.ts";

finish(checkSurface(repositoryRoot, process.argv.includes("--write")));
