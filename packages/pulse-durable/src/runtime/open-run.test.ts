import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { attemptKey, headerKey, nodeKey } from "../record/entry-key.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import type { Store } from "../store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph, crashGraph } from "../testing/graphs.ts";
import { worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };

/** A store that keeps nothing but one record, changed as a test says. */
function changedStore(
  record: RunRecord,
  change: (entry: RecordChange) => RecordChange | undefined,
  save: () => Promise<void> = () => Promise.reject(new Error("nothing may be saved")),
): Store {
  const builder = recordBuilder(record.header.runId);
  for (const entry of entriesOf(record)) {
    const changed = change(entry);
    if (changed !== undefined) builder.apply(changed);
  }
  return {
    acquire: () =>
      Promise.resolve({
        load: () => Promise.resolve(builder.view()),
        save,
        close: () => Promise.resolve(),
      }),
  };
}

async function halfRun() {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(3);
  const dying = worker(memory);
  const dead = dying.diesAt(4, "before");
  void dying.pulse.run(chain, { start: 1 }, call).catch(() => {});
  await dead;
  return { chain, record: await memory.catalog.read("run") };
}

test("REC-17 REC-18 REC-19 a damaged record is refused before any event, body or save", async () => {
  const { chain, record } = await halfRun();
  const { rootScope } = record.header;
  const [attempt = ""] = record.attempts.keys();
  const damages: readonly (readonly [string, (entry: RecordChange) => RecordChange | undefined])[] = [
    ["a node that lost what it needed", (entry) => (entry.key === nodeKey(rootScope, "node0") ? undefined : entry)],
    ["a node without its attempt", (entry) => (entry.key === attemptKey(attempt) ? undefined : entry)],
    [
      "a value whose bytes were changed",
      (entry) =>
        entry.key === nodeKey(rootScope, "node1") && entry.kind === "put"
          ? {
              ...entry,
              entry: { ...entry.entry, outputs: [{ ...outputOf(record, "node1"), bytes: Uint8Array.of(1) }] },
            }
          : entry,
    ],
    [
      "another run id",
      (entry) =>
        entry.key === headerKey && entry.kind === "put" ? { ...entry, entry: { ...entry.entry, runId: "x" } } : entry,
    ],
  ];
  for (const [, change] of damages) {
    const { pulse, events, see, store } = worker(changedStore(record, change));
    const error = await rejectionOf("PULSE_CORRUPT", pulse.resume(chain, { start: 1 }, { ...call, observers: [see] }));
    expect(error.details).toMatchObject({ runId: "run", next: "restore-backup" });
    expect([events, store.closed]).toEqual([[], 1]);
  }
});

function outputOf(record: RunRecord, nodeId: string) {
  return record.nodes.get(`${record.header.rootScope}/${nodeId}`)?.outputs[0];
}

test("REC-16 a newer format is refused, and nothing is written", async () => {
  const { chain, record } = await halfRun();
  const newer = (entry: RecordChange): RecordChange =>
    entry.key === headerKey && entry.kind === "put" ? { ...entry, entry: { ...entry.entry, format: 3 } } : entry;
  const { pulse, store } = worker(changedStore(record, newer));
  const error = await rejectionOf("PULSE_NEWER_FORMAT", pulse.resume(chain, { start: 1 }, call));
  expect(error.details).toMatchObject({ runId: "run", next: "newer-package", found: 3 });
  expect(store.saves).toEqual([]);
});

test("REC-9 DUR-4 a codec of another version is refused before anything runs, by key", async () => {
  const { chain, record } = await halfRun();
  const other = (entry: RecordChange): RecordChange =>
    entry.key === nodeKey(record.header.rootScope, "node1") && entry.kind === "put"
      ? { ...entry, entry: { ...entry.entry, outputs: [{ ...outputOf(record, "node1"), codecVersion: "0" }] } }
      : entry;
  const { pulse, store } = worker(changedStore(record, other));
  const error = await rejectionOf("PULSE_INCOMPATIBLE", pulse.resume(chain, { start: 1 }, call));
  expect(error.details).toMatchObject({ what: "codec", key: "link1" });
  expect(store.saves).toEqual([]);
});

test("STORE-10 values that rest in a content store are fetched before they are read, and only those that are needed", async () => {
  const { chain, record } = await halfRun();
  const contents = new Map<string, Uint8Array>();
  const fetched: string[] = [];
  const apart = (entry: RecordChange): RecordChange => {
    if (!entry.key.startsWith("node/") || entry.kind === "delete") return entry;
    const outputs = (
      entry.entry as { outputs: readonly { name: string; digest: string; bytes: Uint8Array }[] }
    ).outputs.map(({ bytes, ...rest }) => {
      contents.set(rest.digest, bytes);
      return { ...rest, content: { digest: rest.digest, size: bytes.length } };
    });
    return { ...entry, entry: { ...entry.entry, outputs } };
  };
  const inner = changedStore(record, apart);
  const store: Store = {
    acquire: async (runId) => ({
      ...(await inner.acquire(runId)),
      save: () => Promise.resolve(),
      content: async (digest: string) => {
        fetched.push(digest);
        return contents.get(digest) as Uint8Array;
      },
    }),
  };
  const outcome = await worker(store).pulse.resume(chain, { start: 1 }, call);
  expect(outcome.values).toEqual({ link2: 4 });
  expect(fetched).toHaveLength(1);
});

test("CKPT-25 a restored node is told once as finished, and runs nothing", async () => {
  const { chain, record } = await halfRun();
  const memory = changedStore(record, (entry) => entry);
  const { pulse, events, see } = worker({
    acquire: async (runId: string) => ({ ...(await memory.acquire(runId)), save: () => Promise.resolve() }),
  });
  await pulse.resume(chain, { start: 1 }, { ...call, observers: [see] });
  const ofNode = events.filter((event) => "path" in event && event.path === "node0");
  expect(ofNode).toMatchObject([{ kind: "node-finished", reason: "completed", restored: true }]);
  expect(events.filter((event) => "path" in event && event.path === "node2").map(({ kind }) => kind)).toEqual([
    "node-waiting",
    "node-running",
    "node-finished",
  ]);
});

test("CKPT-23 a child scope that was opened with other fixed values is refused by scope, path and key, and not replaced", async () => {
  const memory = memoryStore();
  const dying = worker(memory);
  const scopeSaved = new Promise<string>((resolve) => {
    dying.store.faults.after = async ({ revision, changes }) => {
      const scope = changes.find(({ key }) => key.startsWith("scope/"));
      if (revision === 1 || scope === undefined) return;
      await dying.store.crash();
      resolve(scope.key);
      await new Promise(() => {});
    };
  });
  void dying.pulse
    .run(
      crashGraph(() => {}),
      { start: 1 },
      call,
    )
    .catch(() => {});
  const opened = await scopeSaved;
  const record = await memory.catalog.read("run");
  const other = (entry: RecordChange): RecordChange =>
    entry.key === opened && entry.kind === "put"
      ? { ...entry, entry: { ...entry.entry, inputs: "0".repeat(64) } }
      : entry;
  const saved = changedStore(record, other, () => Promise.resolve());
  const { pulse, store } = worker(saved);
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    pulse.resume(
      crashGraph(() => {}),
      { start: 1 },
      call,
    ),
  );
  expect(error.details).toMatchObject({
    what: "scope",
    path: "child",
    scope: opened.slice("scope/".length),
    key: "given, step",
  });
  expect(store.saves).toEqual([]);
});
