import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkPacks } from "./check.ts";

finish(await checkPacks(repositoryRoot));
