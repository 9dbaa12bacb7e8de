import { readFileSync } from "node:fs";
import { sha256Hex } from "@pulse-ts/codec";
import { PulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { entriesOf } from "../record/fold.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import { readDocument } from "../record/document-read.ts";
import type { Store } from "../store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { olderGraph } from "../testing/older-graph.ts";
import { worker } from "../testing/worker.ts";

const call = { runId: "format-1-void", version: "1" };
const verifying = { ...call, verify: "all" } as const;
const quiet = (): void => {};

interface Output {
  readonly name: string;
  readonly state: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** A run with a void scope, whose values all rest in a content store that counts. */
async function resting(change: (output: Output) => object = (output) => output) {
  const document = readFileSync(new URL("../../fixtures/format-1/void.json", import.meta.url));
  const record: RunRecord = readDocument(new Uint8Array(document));
  const contents = new Map<string, Uint8Array>();
  const apart = (entry: RecordChange): RecordChange => {
    if (!entry.key.startsWith("node/") || entry.kind === "delete") return entry;
    const { outputs } = entry.entry as unknown as { readonly outputs: readonly Output[] };
    const rest = outputs.map((output) => {
      if (output.state !== "ready") return output;
      const { bytes, ...head } = { ...output, ...change(output) };
      contents.set(head.digest, bytes);
      return { content: { digest: head.digest, size: bytes.length }, ...head };
    });
    return { ...entry, entry: { ...entry.entry, outputs: rest } };
  };
  const changes = entriesOf({ ...record, header: { ...record.header, revision: 1 } }).map(apart);
  const inner = memoryStore();
  const session = await inner.acquire(call.runId);
  await session.save({ ...record, header: { ...record.header, revision: 1 } }, 0, changes);
  await session.close();
  const fetched: string[] = [];
  let inFlight = 0;
  let most = 0;
  const store: Store = {
    ...inner,
    async acquire(runId, options) {
      const opened = await inner.acquire(runId, options);
      return {
        load: opened.load.bind(opened),
        save: opened.save.bind(opened),
        close: opened.close.bind(opened),
        async content(digest) {
          fetched.push(digest);
          inFlight += 1;
          // What restores the open scopes afterwards fetches several at once.
          if (fetched.length <= contents.size) most = Math.max(most, inFlight);
          await Promise.resolve();
          inFlight -= 1;
          const bytes = contents.get(digest);
          if (bytes !== undefined) return bytes;
          const where = `contents/${digest}`;
          const details = { runId, next: "restore-backup", where } as const;
          throw new PulseError("PULSE_CORRUPT", `${where} is missing`, { details });
        },
      };
    },
  };
  return { store, inner, contents, fetched, mostAtOnce: () => most };
}

test("REC-9 STORE-10 verify fetches and decodes every content once, one at a time, those of void scopes too", async () => {
  const { store, contents, fetched, mostAtOnce } = await resting();
  const checked = worker(store);
  const stopped = rejectionOf(
    "PULSE_INTERRUPTED",
    checked.pulse.resume(
      olderGraph(quiet),
      { start: 1 },
      {
        ...verifying,
        beforeStart: (running) => {
          // All that was fetched until here: beside what the unfinished part needs, each content once.
          expect(new Set(fetched)).toStrictEqual(new Set(contents.keys()));
          expect(fetched.slice(0, contents.size).toSorted()).toStrictEqual([...contents.keys()].toSorted());
          running.cancel(new Error("seen"));
        },
      },
    ),
  );
  await stopped;
  expect(mostAtOnce()).toBe(1);
  // Values that several nodes, or several tries, share are one content.
  expect(contents.size).toBeLessThan(7);
  fetched.length = 0;
  const outcome = await worker(store).pulse.resume(olderGraph(quiet), { start: 1 }, verifying);
  expect(outcome.values).toEqual({ total: 242 });
});

test("REC-9 without verify no content of a void scope is fetched", async () => {
  const { store, contents, fetched } = await resting();
  await worker(store).pulse.resume(olderGraph(quiet), { start: 1 }, call);
  const weighed = sha256Hex(new TextEncoder().encode("60"));
  expect(contents.has(weighed)).toBe(true);
  expect(fetched).not.toContain(weighed);
});

test("REC-9 a value of a void scope that cannot be read is found by verify, by its place, before anything is done", async () => {
  const weighed = (output: Output): boolean => output.name === "inner";
  const withBytes = (text: string) => (output: Output) => {
    const bytes = new TextEncoder().encode(text);
    return weighed(output) ? { bytes, digest: sha256Hex(bytes) } : output;
  };
  const damages: readonly (readonly [(output: Output) => object, string])[] = [
    [withBytes("no number"), "cannot be read"],
    [withBytes(""), "cannot be read"],
    [(output) => (weighed(output) ? { content: { digest: output.digest, size: 9 } } : output), "has 2 bytes, not 9"],
  ];
  for (const [damage, problem] of damages) {
    const { store, inner } = await resting(damage);
    const before = await inner.catalog.read(call.runId);
    const called: string[] = [];
    const checked = worker(store);
    const graph = olderGraph((path) => called.push(path));
    const options = { ...verifying, observers: [checked.see] };
    const error = await rejectionOf("PULSE_CORRUPT", checked.pulse.resume(graph, { start: 1 }, options));
    expect(error.details.where).toMatch(/^node\/[0-9a-f]{32}\/(?:weigh|leaf): output "inner"$/);
    expect(error.message).toContain(problem);
    expect(called).toStrictEqual([]);
    expect(checked.events).toStrictEqual([]);
    expect(await inner.catalog.read(call.runId)).toStrictEqual(before);
  }
});

test("REC-9 STORE-10 a content that is missing is found by verify, and so is a store that keeps none", async () => {
  const { store, contents, inner } = await resting();
  contents.delete(sha256Hex(new TextEncoder().encode("60")));
  const error = await rejectionOf(
    "PULSE_CORRUPT",
    worker(store).pulse.resume(olderGraph(quiet), { start: 1 }, verifying),
  );
  expect(error.details.where).toMatch(/^contents\//);
  const none = await rejectionOf(
    "PULSE_CORRUPT",
    worker(inner).pulse.resume(olderGraph(quiet), { start: 1 }, verifying),
  );
  expect(none.details.where).toMatch(/^content [0-9a-f]{64}$/);
});
