import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkLayers } from "./check.ts";

finish(checkLayers(repositoryRoot));
