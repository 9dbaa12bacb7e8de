import { PulseError } from "@pulse-ts/core";
import { headerKey } from "./record/entry-key.ts";
import { recordBuilder } from "./record/fold.ts";
import type { Header, RecordEntry, RunRecord } from "./record/format.ts";
import { packEntry, unpackEntry } from "./record/packed-entry.ts";
import type { PackedEntry } from "./record/packed-entry.ts";
import { checkRunId, shownRunId } from "./run-id.ts";
import { catalogPageDefault } from "./store.ts";
import type { Catalog, CatalogQuery, CatalogRun, Session, Store } from "./store.ts";

/** A run as it is kept: entries as text and bytes of their own, so that nothing is shared with anybody (STORE-3). */
interface KeptRun {
  revision: number;
  readonly entries: Map<string, PackedEntry>;
}

/**
 * A store in this process's memory: no persistence, zero configuration. It is the reference for what a store does, in the
 * shortest code that keeps the contract; a save costs what it changes (REC-24).
 */
export function memoryStore(): Store & { readonly catalog: Catalog } {
  const runs = new Map<string, KeptRun>();
  const owned = new Set<string>();
  return {
    async acquire(runId, options) {
      checkRunId(runId);
      options?.signal?.throwIfAborted();
      if (owned.has(runId)) throw busy(runId, "acquiring");
      owned.add(runId);
      return session(runs, runId, () => owned.delete(runId));
    },
    catalog: catalog(runs, owned),
  };
}

function session(runs: Map<string, KeptRun>, runId: string, release: () => void): Session {
  let closed = false;
  const refuseClosed = (doing: string): void => {
    if (!closed) return;
    throw new PulseError(
      "PULSE_USAGE",
      `${doing} run "${shownRunId(runId)}": the session is closed; acquire the run again`,
      {
        details: { rule: "STORE-2", runId, next: "resume" },
      },
    );
  };
  return {
    async load(options) {
      refuseClosed("loading");
      options?.signal?.throwIfAborted();
      return read(runs, runId);
    },
    async save(next, expectedRevision, changes) {
      refuseClosed("saving");
      const kept = runs.get(runId) ?? { revision: 0, entries: new Map<string, PackedEntry>() };
      refuseConflict(runId, kept.revision, next.header, expectedRevision);
      // Every entry is written before the first is kept: a save is whole or not at all.
      const written = changes.map(
        (change) => [change.key, change.kind === "put" ? ownCopy(change.key, change.entry) : undefined] as const,
      );
      for (const [key, packed] of written) {
        if (packed === undefined) kept.entries.delete(key);
        else kept.entries.set(key, packed);
      }
      kept.revision = next.header.revision;
      runs.set(runId, kept);
    },
    async close() {
      if (!closed) release();
      closed = true;
    },
  };
}

function read(runs: ReadonlyMap<string, KeptRun>, runId: string): RunRecord {
  const kept = runs.get(runId);
  if (kept === undefined) {
    throw new PulseError("PULSE_NOT_FOUND", `run "${shownRunId(runId)}" is not in this store; start it`, {
      details: { runId, next: "start" },
    });
  }
  const builder = recordBuilder(runId);
  for (const [key, packed] of kept.entries) {
    builder.apply({ kind: "put", key, entry: unpackEntry(key, copyOf(packed), { runId, where: "memory" }) });
  }
  return builder.view(kept.revision);
}

/** What is kept is never handed out, so small pieces may share memory: one of its own for each costs more than its bytes. */
function ownCopy(key: string, entry: RecordEntry): PackedEntry {
  const { text, bytes } = packEntry(key, entry);
  return { text, bytes: bytes.map((each) => Buffer.from(each)) };
}

function copyOf({ text, bytes }: PackedEntry): PackedEntry {
  return { text, bytes: bytes.map((each) => new Uint8Array(each)) };
}

/** Compares before the swap: the revision that the caller saw, and the one it writes (STORE-3). */
function refuseConflict(runId: string, kept: number, next: Header, expected: number): void {
  const conflict = <Value extends string | number>(what: string, wanted: Value, found: Value): PulseError =>
    new PulseError(
      "PULSE_CONFLICT",
      `saving run "${shownRunId(runId)}": the ${what} should be ${wanted}, it is ${found}; nothing was changed, load the run again`,
      { details: { what, runId, next: "resume", expected: wanted, found } },
    );
  if (next.runId !== runId) throw conflict("run id", runId, next.runId);
  if (expected !== kept) throw conflict("revision", expected, kept);
  if (next.revision !== kept + 1 || !Number.isSafeInteger(next.revision)) {
    throw conflict("next revision", kept + 1, next.revision);
  }
}

function busy(runId: string, doing: string): PulseError {
  return new PulseError(
    "PULSE_BUSY",
    `${doing} run "${shownRunId(runId)}": another session of this process owns it; try later`,
    {
      details: { runId, next: "later", holder: "this process" },
    },
  );
}

function catalog(runs: Map<string, KeptRun>, owned: ReadonlySet<string>): Catalog {
  const matching = ({ status, prefix = "", after }: CatalogQuery): readonly CatalogRun[] =>
    [...runs.keys()]
      .filter((runId) => runId.startsWith(prefix) && (after === undefined || runId > after))
      .toSorted()
      .map((runId) => summary(runId, runs.get(runId) as KeptRun))
      .filter((run) => status === undefined || run.status === status);
  return {
    async list(query = {}) {
      const { limit = catalogPageDefault } = query;
      const found = matching(query);
      const page = found.slice(0, Math.max(1, limit));
      const last = page.at(-1);
      return found.length > page.length && last !== undefined ? { runs: page, next: last.runId } : { runs: page };
    },
    async read(runId) {
      return read(runs, runId);
    },
    async delete(runId) {
      if (owned.has(runId)) throw busy(runId, "deleting");
      runs.delete(runId);
    },
    async count(query = {}) {
      return matching(query).length;
    },
  };
}

function summary(runId: string, { revision, entries }: KeptRun): CatalogRun {
  const { status, version, resumes } = JSON.parse(entries.get(headerKey)?.text ?? "{}") as Header;
  return { runId, status, revision, version, resumes };
}
