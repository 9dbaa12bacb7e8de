import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { contentFiles } from "./testing/big-values.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { openPlace, saveUpTo } from "./testing/place.ts";
import { seeded } from "./testing/seeded.ts";
import { childHistory, spawnOwner } from "./testing/spawn.ts";

/** Kills; `PULSE_ROUNDS` gives another number. */
const rounds = Number(process.env["PULSE_ROUNDS"] ?? 3);

test(
  "STORE-8 STORE-5 KIT-2 while processes that make runs, delete them and collect are killed at random moments, no content of another run is lost",
  { timeout: 120_000 + rounds * 10_000 },
  async () => {
    await using place = await openPlace();
    const random = seeded();
    const history = childHistory("mine", "pooled");
    const store = fileStore({ ...place, foldBytesMin: 6_000 });
    let revision = 0;
    // The same few contents in all runs: each is unnamed, used again and taken out many times.
    const churn = async (runId: string) => {
      const owner = await spawnOwner({ ...place, foldBytesMin: 2_000, values: "pooled" });
      owner.tell({ kind: "churn", runId });
      return owner;
    };
    await using steady = await churn("steady");
    for (let round = 0; round < rounds; round += 1) {
      await using dying = await churn("dying");
      const least = 1 + random(4);
      await dying.saved(least);
      if (dying.acknowledged < least) expect(await dying.answer()).toBe("a round more");
      for (let saves = 0; saves < 2; saves += 1) {
        const session = await store.acquire("mine");
        await saveUpTo(session, history, revision, revision + 1);
        await session.close();
        revision += 1;
        await store.catalog.delete("mine");
        const again = await store.acquire("mine");
        await saveUpTo(again, history, 0, revision);
        await expectRecord(store, await again.load(), history.at(revision));
        await again.close();
        await store.collect({ windowMs: 0 });
        await expectRecord(store, await store.catalog.read("mine"), history.at(revision));
      }
      for (let turns = random(100); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
      await dying.kill();
    }
    await steady.saved(rounds);
    if (steady.acknowledged < rounds) expect(await steady.answer()).toBe("a round more");
    await steady.kill();
    // What the killed ones left named nothing any more, or is a run that can be deleted.
    for (const runId of ["steady", "dying"]) await store.catalog.delete(runId);
    await store.collect({ windowMs: 0 });
    const named = [...history.at(revision).nodes.values()].flatMap(({ outputs }) => outputs);
    const digests = new Set(named.map((value) => ("digest" in value ? value.digest : "")));
    expect(await contentFiles(place.folder)).toEqual([...digests].sort());
    expect((await readdir(join(place.folder, "contents"))).filter((name) => name.startsWith("owners-"))).toEqual([]);
    await expectRecord(store, await store.catalog.read("mine"), history.at(revision));
  },
);
