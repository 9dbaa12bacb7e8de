import { hash } from "node:crypto";
import { attemptKey, nodeKey } from "@pulse-ts/durable";
import type { RecordChanges, Session } from "@pulse-ts/durable";
import { contentsNamed } from "@pulse-ts/durable/define-store";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";
import { pgFaultPoints } from "./testing.ts";

beforeEach(needsPostgres);

const rootId = "0".repeat(32);
const big = (name: string): Uint8Array => new Uint8Array(Buffer.from(name.repeat(20_000)));
const digestOf = (bytes: Uint8Array): string => hash("sha256", bytes);

/** A node whose value is big; `undefined` takes it away. */
function valueChange(name: string, bytes: Uint8Array | undefined): RecordChanges {
  const key = nodeKey(rootId, name);
  if (bytes === undefined) return [{ kind: "delete", key }];
  const value = {
    name: "value",
    codec: "bytes",
    codecVersion: "1",
    state: "ready",
    digest: digestOf(bytes),
    bytes,
  } as const;
  return [{ kind: "put", key, entry: { nodeId: name, attempt: "a", reason: "completed", outputs: [value] } }];
}

/** Saves changes on top of what was saved. */
async function put(session: Session, changes: RecordChanges): Promise<void> {
  const { header } = await session.load();
  const next = { ...(await session.load()), header: { ...header, revision: header.revision + 1 } };
  await session.save(next, header.revision, changes);
}

async function openRun(bench: PgBench, runId: string): Promise<Session> {
  const session = await bench.openDirect().acquire(runId);
  const { code } = await session.load().then(
    () => ({ code: "" }),
    (error: { readonly code: string }) => error,
  );
  if (code === "PULSE_NOT_FOUND") await saveSteps(session, sampleRun(runId), 0, 1);
  return session;
}

const kept = async ({ ask, schema }: PgBench): Promise<readonly unknown[]> =>
  (await ask(`SELECT encode(digest, 'hex') AS digest FROM "${schema}".contents ORDER BY 1`)).map(
    (row) => row["digest"],
  );

describe("contents", () => {
  test("STORE-8 equal ones are kept once, with the save that names them", async () => {
    await using bench = await openBench();
    for (const runId of ["a", "b"]) {
      const session = await openRun(bench, runId);
      await put(session, [...valueChange("one", big("x")), ...valueChange("two", big("x"))]);
      await session.close();
    }
    expect(await kept(bench)).toEqual([digestOf(big("x"))]);
  });

  test("STORE-8 a save that is refused keeps none", async () => {
    await using bench = await openBench();
    const session = await openRun(bench, "a");
    const record = await session.load();
    const next = { ...record, header: { ...record.header, revision: 8 } };
    await expect(session.save(next, 7, valueChange("one", big("x")))).rejects.toMatchObject({ code: "PULSE_CONFLICT" });
    expect(await kept(bench)).toEqual([]);
  });

  test("STORE-8 damaged bytes are told by reading, and mended by the next save that has them", async () => {
    await using bench = await openBench();
    const session = await openRun(bench, "a");
    await put(session, valueChange("one", big("x")));
    await session.close();
    await bench.ask(`UPDATE "${bench.schema}".contents SET bytes = set_byte(bytes, 7, 0)`);
    const { catalog } = bench.openDirect();
    await expect(catalog.content?.("a", digestOf(big("x")))).rejects.toMatchObject({ code: "PULSE_CORRUPT" });
    const again = await openRun(bench, "b");
    await put(again, valueChange("one", big("x")));
    expect(await catalog.content?.("a", digestOf(big("x")))).toEqual(big("x"));
  });

  test("STORE-10 STORE-8 a save that names one that is not there is PULSE_CORRUPT, and nothing is saved", async () => {
    await using bench = await openBench();
    const digest = digestOf(big("nowhere"));
    const session = await openRun(bench, "a");
    const before = await session.load();
    const value = { name: "value", codec: "bytes", codecVersion: "1", state: "ready", digest } as const;
    const outputs = [{ ...value, content: { digest, size: 140_000 } }];
    const entry = { nodeId: "one", attempt: "a", reason: "completed", outputs } as const;
    const changes: RecordChanges = [
      ...valueChange("two", big("x")),
      { kind: "put", key: nodeKey(rootId, "one"), entry },
      { kind: "delete", key: attemptKey("none") },
    ];
    await expect(put(session, changes)).rejects.toMatchObject({
      code: "PULSE_CORRUPT",
      message: expect.stringContaining(`the content ${digest} in "${bench.schema}"."contents": it is missing`),
    });
    expect(await bench.openDirect().catalog.read("a")).toEqual(before);
    expect(await kept(bench)).toEqual([]);
  });

  test("STORE-8 the database itself lets no content go that a run may name, and nobody name one that is not there", async () => {
    await using bench = await openBench();
    const session = await openRun(bench, "a");
    await put(session, valueChange("one", big("x")));
    const violation = { code: "23503" };
    await expect(bench.ask(`DELETE FROM "${bench.schema}".contents`)).rejects.toMatchObject(violation);
    const use = `INSERT INTO "${bench.schema}".content_uses VALUES (sha256('x'), 1)`;
    await expect(bench.ask(use)).rejects.toMatchObject(violation);
  });

  test("STORE-10 one of many pieces is read whole", async () => {
    await using bench = await openBench();
    const bytes = new Uint8Array(20 * 1024 * 1024).map((_, at) => at * 7 + (at >> 8));
    const session = await openRun(bench, "a");
    await put(session, valueChange("one", bytes));
    expect(digestOf((await session.content?.(digestOf(bytes))) ?? new Uint8Array())).toBe(digestOf(bytes));
  });
});

describe("collect", () => {
  test("STORE-8 what no record names goes, once nothing has used it for the window", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    const session = await openRun(bench, "a");
    await put(session, [...valueChange("one", big("x")), ...valueChange("two", big("y"))]);
    await session.close();
    await (await openRun(bench, "b")).close();
    expect(await store.collect({ windowMs: 0 })).toEqual({ kept: 2, removed: 0, removedBytes: 0, unreadable: [] });
    await store.catalog.delete("a");
    expect(await store.collect()).toMatchObject({ kept: 2, removed: 0 });
    expect(await store.collect({ windowMs: 0 })).toEqual({ kept: 0, removed: 2, removedBytes: 40_000, unreadable: [] });
  });

  test("STORE-8 what a record names no more goes when its run is closed, and not before", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    const session = await openRun(bench, "a");
    await put(session, [...valueChange("one", big("x")), ...valueChange("two", big("y"))]);
    await put(session, valueChange("one", undefined));
    expect(await store.collect({ windowMs: 0 })).toMatchObject({ kept: 2, removed: 0 });
    // The open session puts it again without its bytes: it knows that they are there.
    await put(session, valueChange("three", big("x")));
    expect(await session.content?.(digestOf(big("x")))).toEqual(big("x"));
    await put(session, valueChange("three", undefined));
    await session.close();
    expect(await store.collect({ windowMs: 0 })).toMatchObject({ kept: 1, removed: 1 });
    expect(await kept(bench)).toEqual([digestOf(big("y"))]);
  });

  test("STORE-8 while a record cannot be read nothing goes", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    for (const runId of ["a", "b"]) {
      const session = await openRun(bench, runId);
      await put(session, valueChange("one", big(runId)));
      await session.close();
    }
    await store.catalog.delete("b");
    await bench.ask(`UPDATE "${bench.schema}".entries SET checksum = 0 WHERE key = 'header'`);
    expect(await store.collect({ windowMs: 0 })).toEqual({ kept: 2, removed: 0, removedBytes: 0, unreadable: ["a"] });
  });

  test("STORE-6 a dead owner's save that is still on its way can write nothing after its run's contents were looked through", async () => {
    await using bench = await openBench();
    const session = await openRun(bench, "a");
    await put(session, [...valueChange("one", big("x"))]);
    await put(session, valueChange("one", undefined));
    await bench.ask(`UPDATE "${bench.schema}".runs SET lease_end = clock_timestamp()`);
    expect(await bench.openDirect().collect({ windowMs: 0 })).toMatchObject({ removed: 1 });
    await bench.ask(`UPDATE "${bench.schema}".runs SET lease_end = 'infinity'`);
    await expect(put(session, valueChange("two", big("x")))).rejects.toMatchObject({ code: "PULSE_OWNERSHIP_LOST" });
  });

  test.each(pgFaultPoints.filter((point) => point.startsWith("collect")))(
    "STORE-8 cut off at '%s' it loses nothing that is named, and the next one goes on",
    async (point) => {
      await using bench = await openBench();
      const session = await openRun(bench, "a");
      await put(session, [...valueChange("one", big("x")), ...valueChange("two", big("y"))]);
      await put(session, valueChange("one", undefined));
      await session.close();
      const cut = bench.open({}, (moment, step) => {
        if (`${step} ${moment}` === point) throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
      });
      await expect(cut.collect({ windowMs: 0 })).rejects.toMatchObject({ code: "PULSE_STORE" });
      const { catalog } = bench.openDirect();
      expect(await catalog.content?.("a", digestOf(big("y")))).toEqual(big("y"));
      await bench.openDirect().collect({ windowMs: 0 });
      expect(await kept(bench)).toEqual([digestOf(big("y"))]);
    },
  );

  test("STORE-8 many collections beside runs that come, change and go lose nothing that is named", async () => {
    await using bench = await openBench();
    const end = new AbortController();
    const collecting = [bench.openDirect(), bench.openDirect()].map(async (store) => {
      while (!end.signal.aborted) await store.collect({ windowMs: 0 });
    });
    const names = ["x", "y", "z"];
    const working = ["a", "b", "c", "d"].map(async (runId, at) => {
      for (let round = 0; round < 6; round += 1) {
        const session = await openRun(bench, runId);
        for (const [step, name] of names.entries()) {
          await put(session, valueChange(name, (round + step + at) % 2 === 0 ? big(name) : undefined));
        }
        const record = await session.load();
        for (const { outputs } of record.nodes.values()) {
          for (const { digest, content } of outputs as readonly { digest: string; content?: unknown }[]) {
            if (content !== undefined)
              expect(digestOf((await session.content?.(digest)) ?? new Uint8Array())).toBe(digest);
          }
        }
        await session.close();
      }
    });
    await Promise.all(working).finally(() => end.abort());
    await Promise.all(collecting);
    const store = bench.openDirect();
    await store.collect({ windowMs: 0 });
    const named = new Set<string>();
    for (const runId of ["a", "b", "c", "d"]) {
      for (const digest of contentsNamed(await store.catalog.read(runId))) named.add(digest);
    }
    expect(await kept(bench)).toEqual([...named].toSorted());
  });

  test("STORE-2 rows of runs that were acquired and never saved go with their owners", async () => {
    await using bench = await openBench();
    const owner = bench.openDirect();
    await owner.acquire("left");
    const owned = await bench.openDirect().acquire("owned");
    await owner.close();
    await bench.openDirect().collect();
    expect(await bench.ask(`SELECT count(*)::integer AS count FROM "${bench.schema}".runs`)).toEqual([{ count: 1 }]);
    await saveSteps(owned, sampleRun("owned"), 0, 1);
  });

  test("STORE-8 options that cannot be are refused", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    await expect(store.collect({ windowMs: -1 })).rejects.toMatchObject({ code: "PULSE_INVALID" });
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(store.collect({ signal: stop.signal })).rejects.toThrow("enough");
  });
});
