import { fileStoreAt } from "@pulse-ts/filestore/testing";
import { runCrashChild } from "@pulse-ts/store-testkit";
import { buildRun } from "../generated/build-run.ts";
import { makePlan } from "../generated/make-plan.ts";
import { keepHouse } from "./housekeeping.ts";
import { jobOf } from "./job.ts";
import { mistakenStore, mistakes } from "./mistakes.ts";
import { foldBytesMin } from "./stores.ts";

/** The program that is killed: any generated graph, or the main job, on local files. */
void runCrashChild({
  subjects: {
    generated: (input, note) => buildRun(makePlan(Number(input)), note),
    job: jobOf,
  },
  stores: {
    files: (folder, at) => fileStoreAt({ folder, foldBytesMin }, at),
    // Deletes runs and collects contents before it goes on.
    "files with housekeeping": async (folder, at) => {
      const store = fileStoreAt({ folder, foldBytesMin }, at);
      await keepHouse(store);
      return store;
    },
    // Each breaks the contract of stores in one way: the harness has to find it.
    ...Object.fromEntries(
      mistakes.map((mistake) => [
        mistake,
        (folder: string, at: (point: string) => void | Promise<void>) =>
          mistakenStore(fileStoreAt({ folder, foldBytesMin }, at), mistake),
      ]),
    ),
  },
});
