import { isPulseError } from "@pulse-ts/core";
import { headerKey, recordFormat, scopeKey } from "@pulse-ts/durable";
import { same } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { folded, headerOf, put, rootId, sampleRun, saveStep, sha256 } from "../sample-run.ts";

/** Records of other formats than this package's (STORE-9). */
export const versions: readonly Requirement[] = [
  {
    id: "STORE-9.older-record",
    rule: "STORE-9",
    title: "a record of format 1 comes back as it is: what upgrades it is the runtime's next save",
    async check(bench) {
      const store = await bench.open();
      const changes = [
        put(headerKey, headerOf("run", { format: 1 })),
        put(scopeKey(rootId), { graph: "sample", path: "", inputs: sha256("inputs") }),
      ];
      const session = await bench.acquire(store, "run");
      await session.save(folded("run", changes), 0, changes);
      await bench.loads(session, folded("run", changes));
      await session.close();
      await bench.loads(await bench.acquire(await bench.open(), "run"), folded("run", changes));
    },
  },
  {
    id: "STORE-9.newer-record",
    rule: "STORE-9",
    title: "a record of a later format is refused with PULSE_NEWER_FORMAT or given as it is, and hides no other run",
    async check(bench) {
      const store = await bench.open();
      const newer = headerOf("newer", { format: recordFormat + 1, fieldOfTomorrow: ["kept"] });
      const session = await bench.acquire(store, "newer");
      const changes = [put(headerKey, newer)];
      if (!(await kept(() => session.save(folded("newer", changes), 0, changes)))) return;
      if (await kept(() => session.load())) {
        same("the format that was loaded", (await session.load()).header.format, recordFormat + 1);
        await bench.loads(session, folded("newer", changes));
      }
      const run = sampleRun("run");
      const other = await bench.acquire(store, "run");
      await saveStep(other, run, 1);
      if (store.catalog === undefined) return;
      const { runs } = await store.catalog.list();
      same("the other run's place in the list", runs[1]?.runId, "run");
      same("the problem of the other run", runs[1]?.problem, undefined);
    },
  },
];

/** Whether a call with a record of a later format went well; PULSE_NEWER_FORMAT is the one way in which it may not. */
async function kept(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isPulseError(error, "PULSE_NEWER_FORMAT")) return false;
    throw error;
  }
}
