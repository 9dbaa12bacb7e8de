import type { OwnedRun, StoreAdapter } from "@pulse-ts/durable/define-store";
import { contentBytes } from "./content.ts";
import { explainFailure, namingRun } from "./failure.ts";
import { whenFree } from "./busy.ts";
import { answer, releaseRun, takeRun } from "./owner.ts";
import type { Medium } from "./owner.ts";
import { readRun } from "./read.ts";
import { knownOf, prepareSave, writeSave } from "./save.ts";
import type { Known } from "./save.ts";

/** The epochs that one store object holds, and its sign of life for those who cannot judge its process. */
export interface Epochs {
  readonly held: ReadonlySet<number>;
  add(epoch: number): void;
  delete(epoch: number): void;
}

/** Looks so often within `staleMs` whether somebody asks for a sign of life. */
const looksPerStaleMs = 5;

export function epochsOf(medium: Medium): Epochs {
  const held = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  return {
    held,
    add(epoch) {
      held.add(epoch);
      timer ??= setInterval(() => {
        // What the database refuses now is tried again at the next look; saves tell the host of it.
        answer(medium, held).catch(() => undefined);
      }, medium.parts.staleMs / looksPerStaleMs).unref();
    },
    delete(epoch) {
      held.delete(epoch);
      if (held.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Owning, loading and saving, for `defineStore`. */
export function runsIn(
  medium: Medium,
  epochs: Epochs,
): Pick<StoreAdapter, "own" | "explain" | "medium" | "contentBytesMin"> {
  const { file, contentBytesMin } = medium.parts;
  return {
    medium: file,
    contentBytesMin,
    explain: explainFailure,
    async own(runId, { signal }) {
      const epoch = await forRun(medium, runId, async () => await takeRun(medium, runId, signal));
      epochs.add(epoch);
      return ownedRun(medium, epochs, runId, epoch);
    },
  };
}

function ownedRun(medium: Medium, epochs: Epochs, runId: string, epoch: number): OwnedRun {
  const { parts, connection, batch } = medium;
  let known: Known | undefined;
  return {
    load: async () =>
      await forRun(medium, runId, async () => {
        const reading = await readRun(parts, await connection.toWrite(), runId);
        if (reading === undefined) return undefined;
        known = knownOf(reading.run, reading.rows);
        return reading.record;
      }),
    save: async (save) =>
      await forRun(medium, runId, async () => {
        connection.refuseShut();
        const prepared = prepareSave(save);
        const written = await batch.add({
          durable: true,
          write: ({ sqlite }) => writeSave(parts, sqlite, epoch, prepared, known),
        });
        known = written.known;
        return written.result;
      }),
    content: async (digest) =>
      await forRun(medium, runId, async () => {
        const { sqlite } = await connection.toWrite();
        return await whenFree(parts.busyMs, () => contentBytes(sqlite, digest));
      }),
    async release({ clean }) {
      epochs.delete(epoch);
      try {
        await forRun(medium, runId, async () => await releaseRun(medium, epoch));
      } catch (error) {
        // After a save that failed the host has been told what is wrong with the database.
        if (clean) throw error;
      }
    },
  };
}

/** Does it; of a damaged file, a newer schema and a closed store it tells with their own codes, and with the run. */
export async function forRun<Result>(
  { parts }: Pick<Medium, "parts">,
  runId: string,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw namingRun(error, runId, parts.file);
  }
}
