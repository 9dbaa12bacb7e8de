import { fileStoreAt } from "@pulse-ts/filestore/testing";
import { runCrashChild } from "@pulse-ts/store-testkit";
import { buildRun } from "../generated/build-run.ts";
import { makePlan } from "../generated/make-plan.ts";
import { jobOf } from "./job.ts";
import { foldBytesMin } from "./stores.ts";

/** The program that is killed: any generated graph, or the main job, on local files. */
void runCrashChild({
  subjects: {
    generated: (input, note) => buildRun(makePlan(Number(input)), note),
    job: jobOf,
  },
  stores: { files: (folder, at) => fileStoreAt({ folder, foldBytesMin }, at) },
});
