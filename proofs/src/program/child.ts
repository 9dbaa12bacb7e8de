import { runCrashChild } from "@pulse-ts/store-testkit";
import type { OpenStore } from "@pulse-ts/store-testkit";
import { buildRun } from "../generated/build-run.ts";
import { makePlan } from "../generated/make-plan.ts";
import { withHousekeeping } from "./housekeeping.ts";
import { jobOf } from "./job.ts";
import { messagesOf } from "./messages.ts";
import { mistakenStore, mistakes } from "./mistakes.ts";
import { housekeepingOn, openStores, storeNames } from "./stores.ts";

/** The program that is killed: any generated graph, or the main job, on any of the stores. */
void runCrashChild({
  subjects: {
    generated: (input, note) => buildRun(makePlan(Number(input)), note),
    job: jobOf,
    messages: messagesOf,
  },
  stores: {
    ...openStores,
    // Deletes runs and collects contents before it goes on.
    ...Object.fromEntries(storeNames.map((name) => [housekeepingOn(name), withHousekeeping(openStores[name])])),
    // Each breaks the contract of stores in one way: the harness has to find it.
    ...Object.fromEntries(
      mistakes.map((mistake): [string, OpenStore] => [
        mistake,
        async (folder, at) => mistakenStore(await openStores.file(folder, at), mistake),
      ]),
    ),
  },
});
