import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import { durable, memoryStore } from "@pulse-ts/durable";
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { everythingIn, openPlace } from "./testing/place.ts";

const call = { runId: "run/1", version: "1" };
const start = key("start", type<number>("number"));
const bytes = key("bytes", type<Uint8Array>("bytes"));
const size = key("size", type<number>("number"));

/** Values of a megabyte, of one byte and of none: some are contents, others stand in the journal. */
function bigGraph(called: string[] = [], hold?: () => Promise<never>) {
  const child = graph("child", {
    inputs: [start],
    outputs: [bytes],
    nodes: [
      node("grow", { requires: [start], provides: [bytes] }, ({ start }, { path }) => {
        called.push(path);
        return { bytes: new Uint8Array(start * 1_000_000).fill(7) };
      }),
    ],
  });
  return graph("big", {
    inputs: [start],
    outputs: [size],
    nodes: [
      mount("child", child, { in: { start } }),
      node(
        "sum",
        { requires: [bytes], provides: [size], aspects: [retry({ limit: 2 })] },
        async ({ bytes }, { path }) => {
          called.push(path);
          await hold?.();
          return { size: bytes.length };
        },
      ),
    ],
  });
}

/** A run that was interrupted while `sum` ran. */
async function interrupted(folder: string, megabytes: number): Promise<void> {
  await using pulse = durable({ store: fileStore({ folder }) });
  await new Promise<void>((resolve, reject) => {
    const hold = (): Promise<never> => {
      resolve();
      return new Promise(() => {});
    };
    pulse.run(bigGraph([], hold), { start: megabytes }, { ...call, drainTimeout: 0 }).catch(reject);
  });
}

test.each([0, 1])(
  "REC-26 STORE-10 a run with values of %i MB goes from one folder to another, and to memory, by its document",
  async (megabytes) => {
    await using from = await openPlace();
    await using to = await openPlace();
    await interrupted(from.folder, megabytes);
    const source = fileStore({ folder: from.folder });
    const before = await everythingIn(from.folder);
    const document = await durable({ store: source }).export(call.runId);
    expect(await everythingIn(from.folder)).toEqual(before);

    const target = fileStore({ folder: to.folder });
    await durable({ store: target }).import(document);
    const record = await source.catalog.read(call.runId);
    const copy = await target.catalog.read(call.runId);
    expect(copy).toEqual({ ...record, header: { ...record.header, revision: 1 } });
    // The whole record again, contents and all.
    const text = (exported: Uint8Array): string => Buffer.from(exported).toString();
    const revised = text(document).replace(`"revision":${record.header.revision},`, '"revision":1,');
    expect(text(await durable({ store: target }).export(call.runId))).toBe(revised);

    const memory = memoryStore();
    await durable({ store: memory }).import(document);
    for (const store of [source, target, memory]) {
      const called: string[] = [];
      const { values } = await durable({ store }).resume(bigGraph(called), { start: megabytes }, call);
      expect(values).toEqual({ size: megabytes * 1_000_000 });
      expect(called).toEqual(["sum"]);
    }
  },
);

test("REC-26 STORE-1 a run that another session owns is exported as it was last saved, and imported nowhere", async () => {
  await using place = await openPlace();
  await interrupted(place.folder, 1);
  const store = fileStore({ folder: place.folder });
  const owner = await store.acquire(call.runId);
  const pulse = durable({ store: fileStore({ folder: place.folder }) });
  const document = await pulse.export(call.runId);
  await rejectionOf("PULSE_BUSY", pulse.import(document));
  await owner.close();
  await rejectionOf("PULSE_CONFLICT", pulse.import(document));
  expect(Buffer.from(await pulse.export(call.runId)).equals(Buffer.from(document))).toBe(true);
});

test("REC-26 STORE-10 a run whose content is lost is not exported, and what was exported before brings it back", async () => {
  await using place = await openPlace();
  await interrupted(place.folder, 1);
  const store = fileStore({ folder: place.folder });
  const pulse = durable({ store });
  const document = await pulse.export(call.runId);
  const contents = Object.keys(await everythingIn(place.folder)).filter((path) => /[\\/][0-9a-f]{64}$/.test(path));
  expect(contents).toHaveLength(1);
  await rm(contents[0] ?? "");
  const error = await rejectionOf("PULSE_CORRUPT", pulse.export(call.runId));
  expect(error.details).toMatchObject({ runId: call.runId, next: "restore-backup" });
  await store.catalog.delete(call.runId);
  await pulse.import(document);
  expect((await pulse.resume(bigGraph(), { start: 1 }, call)).values).toEqual({ size: 1_000_000 });
});
