import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { openPlace } from "./testing/place.ts";
import { firstRecord } from "./testing/records.ts";

test.each(["with-a-dash", "UpperCase", 'it\'s "quoted"', "two words", "ünïcödé", "100%", "$HOME", "-rf"])(
  "D9 FILE-1 a store folder and a run called %j work like any other",
  async (name) => {
    await using place = await openPlace();
    const folder = join(place.folder, name);
    const first = firstRecord(name);
    const session = await fileStore({ folder }).acquire(name);
    await session.save(first.record, 0, first.changes);
    await session.close();

    const again = fileStore({ folder });
    expect((await again.catalog.list()).runs.map(({ runId }) => runId)).toEqual([name]);
    const loaded = await again.acquire(name);
    expect((await loaded.load()).header).toEqual(first.record.header);
    await loaded.close();
    await again.catalog.delete(name);
    expect(await again.catalog.count()).toBe(0);
  },
);
