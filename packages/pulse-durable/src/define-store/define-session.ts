import { headerKey } from "../record/entry-key.ts";
import type { RecordChanges, RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { CallOptions, Session } from "../store.ts";
import { unlessAborted } from "./abort.ts";
import type { OwnedRun, Save, StoreAdapter } from "./adapter.ts";
import { contentPlan } from "./content-plan.ts";
import { checkedContent, refuseOtherDigest } from "./content-check.ts";
import { storeError } from "./explain.ts";
import { closedSession, conflict, doingWith, notFound, ownershipLost, usage } from "./store-errors.ts";

/** The ownership of one run. One call is at work at a time; others wait for it. */
export function defineSession(adapter: StoreAdapter, runId: string, owned: OwnedRun): Session {
  const contents = contentPlan(adapter.contentBytesMin ?? Infinity);
  /** The last call's work. Never rejects. */
  let work: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  /** Why nothing more is written: a save failed, or a newer owner was seen (STORE-4, STORE-6). */
  let stopped: { readonly error: unknown } | undefined;

  /** Does one call after the other. An aborted call is waited for no longer, but its work goes on to its end. */
  const inTurn = async <Result>(
    what: string,
    signal: AbortSignal | undefined,
    action: () => Promise<Result>,
  ): Promise<Result> => {
    if (closing !== undefined) throw closedSession(what, runId);
    signal?.throwIfAborted();
    const turn = work.then(action);
    work = turn.catch(() => undefined);
    return await unlessAborted(turn, signal);
  };
  const failed = (what: string, error: unknown): unknown =>
    storeError(adapter, doingWith(what, runId, adapter.medium), error);

  const write = async (save: Save, options: CallOptions): Promise<void> => {
    try {
      const result = await owned.save(save, options);
      if (result === "fenced") throw ownershipLost(runId);
      if (result !== "saved") throw conflict(runId, "revision", save.expectedRevision, result.conflict);
    } catch (error) {
      const told = failed("saving", error);
      if (!isConflict(told)) stopped = { error: told };
      throw told;
    }
    contents.kept(save.contents);
  };

  const { content } = owned;
  return {
    load: (options = {}) =>
      inTurn("loading", options.signal, async () => {
        const record = await owned.load(options).catch((error: unknown) => {
          throw failed("loading", error);
        });
        if (record === undefined) throw notFound(runId);
        return record;
      }),
    save: (next, expectedRevision, changes, options = {}) =>
      inTurn("saving", options.signal, async () => {
        if (stopped !== undefined) throw stopped.error;
        // Aborted while it waited for its turn: nothing of it was written.
        options.signal?.throwIfAborted();
        refuseMisfit(runId, next, expectedRevision, changes);
        const { revision } = next.header;
        await write({ runId, expectedRevision, revision, next, ...contents.plan(changes) }, options);
      }),
    ...(content === undefined
      ? {}
      : {
          // Not in turn: no save changes a content, and many are read at once.
          content: async (digest: string, options: CallOptions = {}) => {
            if (closing !== undefined) throw closedSession("reading a content of", runId);
            options.signal?.throwIfAborted();
            refuseOtherDigest(runId, digest);
            const bytes = content.call(owned, digest, options).catch((error: unknown) => {
              throw failed("reading a content of", error);
            });
            return checkedContent(runId, adapter.medium, digest, await unlessAborted(bytes, options.signal));
          },
        }),
    async close() {
      closing ??= work.then(async () => {
        await owned.release({ clean: stopped === undefined }).catch((error: unknown) => {
          throw failed("closing", error);
        });
      });
      await closing;
    },
  };
}

const isConflict = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as { readonly code?: unknown }).code === "PULSE_CONFLICT";

/** What the medium need not be asked (STORE-3, REC-27). */
function refuseMisfit(runId: string, next: RunRecord, expected: number, changes: RecordChanges): void {
  const { header } = next;
  if (header.runId !== runId) throw conflict(runId, "run id", runId, header.runId);
  if (header.revision !== expected + 1 || !Number.isSafeInteger(header.revision) || expected < 0) {
    throw conflict(runId, "next revision", expected + 1, header.revision);
  }
  if (expected === 0 && !changes.some(({ key, kind }) => key === headerKey && kind === "put")) {
    const place = `saving run "${shownRunId(runId)}"`;
    throw usage(runId, "REC-27", `${place}: the changes of its first save do not put the header`);
  }
}
