import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkLinks } from "./check.ts";

finish(checkLinks(repositoryRoot));
