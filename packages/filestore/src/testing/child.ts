import type { Session } from "@pulse-ts/durable";
import { isPulseError } from "@pulse-ts/core";
import { ownHolder, systemProbe } from "@pulse-ts/durable/define-store";
import { openFileStore } from "../open.ts";
import { loadOrNothing } from "./place.ts";
import { childHistory, optionsOf } from "./spawn.ts";
import type { FromChild, ToChild } from "./spawn.ts";

/** A process of its own that owns runs as it is told, and reports each save when it is confirmed. */
const { folder, foldBytesMin, stranger, values, uid } = optionsOf(process.argv);

// Before the user changes: what a process may read of itself changes with it.
await ownHolder();
if (uid !== undefined) process.seteuid?.(uid);

const store = openFileStore(
  { folder, foldBytesMin },
  {
    foldEarly: true,
    probe: systemProbe,
    holder: async () => ({ ...(await ownHolder()), ...(stranger === undefined ? {} : { namespace: stranger }) }),
  },
);
/** The one it acquired last. */
const own: Session[] = [];
/** Kept, so that their files stay open as long as the process lives. */
const ghosts: Session[] = [];

/** A store of a process that does not exist: no system gives this id. */
const ghostStore = openFileStore(
  { folder },
  {
    probe: systemProbe,
    holder: async () => ({ ...(await ownHolder()), pid: 2 ** 22 + 1, started: "0", instance: "none" }),
  },
);

const tell = (message: FromChild): void => {
  process.send?.(message);
};

async function follow(message: ToChild): Promise<void> {
  const history = childHistory(message.runId, values);
  switch (message.kind) {
    case "acquire":
      own.unshift(await store.acquire(message.runId));
      return tell({ kind: "acquired" });
    case "abandon": {
      const ghost = await ghostStore.acquire(message.runId);
      ghosts.push(ghost);
      const revision = (await loadOrNothing(ghost))?.header.revision ?? 0;
      await ghost.save(history.at(revision + 1), revision, history.changesTo(revision + 1));
      tell({ kind: "saved", revision: revision + 1 });
      return tell({ kind: "done" });
    }
    case "save":
      for (let revision = message.from + 1; revision <= message.to; revision += 1) {
        await own[0]?.save(history.at(revision), revision - 1, history.changesTo(revision));
        tell({ kind: "saved", revision });
      }
      return tell({ kind: "done" });
    case "block":
      tell({ kind: "blocked" });
      // The message leaves before the loop stops: for good, or for so long.
      setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, message.ms);
        tell({ kind: "done" });
      });
      return;
    case "collect":
      await store.collect({ windowMs: 0 });
      return tell({ kind: "done" });
    case "churn":
      for (let round = 1; ; round += 1) {
        // A run that the one before this process left.
        await store.catalog.delete(message.runId);
        const session = await store.acquire(message.runId);
        for (let revision = 1; revision <= 3; revision += 1) {
          await session.save(history.at(revision), revision - 1, history.changesTo(revision));
        }
        await session.close();
        await store.catalog.delete(message.runId);
        await store.collect({ windowMs: 0 });
        tell({ kind: "saved", revision: round });
      }
    case "close":
      await own[0]?.close();
      return tell({ kind: "done" });
  }
}

process.on("message", (message: ToChild) => {
  follow(message).catch((error: unknown) => {
    tell(failureOf(error));
  });
});
process.on("disconnect", () => process.exit(0));
tell({ kind: "ready" });

function failureOf(error: unknown): FromChild {
  if (!isPulseError(error)) return { kind: "failed", code: String(error), message: "" };
  const { code, message } = error;
  return { kind: "failed", code, message };
}
