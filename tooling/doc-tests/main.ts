import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { countBlocks } from "./check.ts";

finish(countBlocks(repositoryRoot));
