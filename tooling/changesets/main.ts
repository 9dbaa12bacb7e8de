import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkChangesets } from "./check.ts";

finish(await checkChangesets(repositoryRoot));
