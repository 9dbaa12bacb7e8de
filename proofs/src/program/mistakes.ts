import type { NodeEntry, RecordChanges, RunRecord, Session, Store } from "@pulse-ts/durable";

/** Ways in which a store may be wrong; a kill brings each to light. */
export const mistakes = [
  "confirms a save before it is written",
  "writes each save with the one after it",
  "writes a part of a save",
  "gives the record before the last save",
  "forgets the last result",
  "forgets that a try failed",
] as const;
export type Mistake = (typeof mistakes)[number];

/** A good store, made to be wrong in one way. */
export function mistakenStore(store: Store, mistake: Mistake): Store {
  return {
    ...store,
    acquire: async (runId, options) => mistaken(await store.acquire(runId, options), mistake),
  };
}

function mistaken(session: Session, mistake: Mistake): Session {
  switch (mistake) {
    case "confirms a save before it is written":
      return confirmsEarly(session);
    case "writes each save with the one after it":
      return writesLate(session);
    case "writes a part of a save":
      return withSave(session, (next, expected, changes) => {
        // The first save of a run is left whole: without a header there would be no run to resume.
        const part = expected === 0 || changes.length < 2 ? changes : changes.slice(1);
        return session.save(next, expected, part);
      });
    case "gives the record before the last save":
      return withLoad(session, ({ header, ...rest }) => ({
        ...rest,
        header: { ...header, revision: Math.max(1, header.revision - 1) },
      }));
    case "forgets the last result":
      return withLoad(session, withoutLastNode);
    case "forgets that a try failed":
      return withLoad(session, (record) => ({
        ...record,
        attempts: new Map(
          [...record.attempts].map(([id, attempt]) => [
            id,
            attempt.state === "failed" ? { ...attempt, state: "active" as const } : attempt,
          ]),
        ),
      }));
  }
}

/** The write goes on while the caller believes it done. */
function confirmsEarly(session: Session): Session {
  let writing: Promise<void> = Promise.resolve();
  return {
    ...withSave(session, async (next, expected, changes) => {
      await writing;
      // The caller's record is its own again when this call has settled.
      writing = session.save({ ...next, header: { ...next.header } }, expected, [...changes]);
    }),
    async close() {
      await writing.catch(() => {});
      await session.close();
    },
  };
}

/** Keeps one save back, to write two at once. */
function writesLate(session: Session): Session {
  let kept: (() => Promise<void>) | undefined;
  const write = async (): Promise<void> => {
    const late = kept;
    kept = undefined;
    await late?.();
  };
  return {
    ...withSave(session, async (next, expected, changes) => {
      await write();
      const own = { ...next, header: { ...next.header } };
      kept = () => session.save(own, expected, [...changes]);
      if (expected === 0) await write();
    }),
    async close() {
      await write();
      await session.close();
    },
  };
}

function withoutLastNode(record: RunRecord): RunRecord {
  const last = [...record.nodes].at(-1);
  if (last === undefined || record.header.status !== "running") return record;
  const [key, { attempt }]: readonly [string, NodeEntry] = last;
  const nodes = new Map(record.nodes);
  nodes.delete(key);
  const attempts = new Map(record.attempts);
  const root = attempts.get(attempt);
  if (root !== undefined) attempts.set(attempt, { ...root, state: "active" });
  return { ...record, nodes, attempts };
}

type Save = (next: RunRecord, expected: number, changes: RecordChanges) => Promise<void>;

function withSave(session: Session, save: Save): Session {
  return { ...plain(session), save };
}

function withLoad(session: Session, change: (record: RunRecord) => RunRecord): Session {
  return { ...plain(session), load: async (options) => change(await session.load(options)) };
}

/** A session as an object of its own, whatever class it is of. */
function plain(session: Session): Session {
  const { content } = session;
  return {
    load: (options) => session.load(options),
    save: (next, expected, changes, options) => session.save(next, expected, changes, options),
    ...(content === undefined ? {} : { content: (digest, options) => content.call(session, digest, options) }),
    close: () => session.close(),
  };
}
