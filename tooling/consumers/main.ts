import { join } from "node:path";
import { finish } from "../source/report.ts";
import { runProgram } from "../source/run-program.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkConsumers } from "./check.ts";

finish(
  await checkConsumers(repositoryRoot, {
    run: runProgram(repositoryRoot),
    machine: process,
    cache: join(repositoryRoot, "node_modules", ".cache", "pulse-nodes"),
    everyNode: process.env["CI"] === "true",
  }),
);
