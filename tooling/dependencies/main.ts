import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkDependencies } from "./check.ts";

finish(checkDependencies(repositoryRoot));
