import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkErrorPages } from "./check.ts";

finish(checkErrorPages(repositoryRoot));
