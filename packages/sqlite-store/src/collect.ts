import { isPulseError } from "@pulse-ts/core";
import { checkCollectOptions, contentWindowMsDefault } from "@pulse-ts/durable/define-store";
import type { CollectOptions } from "@pulse-ts/durable/define-store";
import { whenFree } from "./busy.ts";
import type { Open } from "./connection.ts";
import { everyRun } from "./every-run.ts";
import { atStep } from "./fault-points.ts";
import { judgeOwner } from "./owner.ts";
import type { Medium, OwnerRow } from "./owner.ts";
import { readRun } from "./read.ts";
import { slices } from "./slices.ts";
import type { Sqlite } from "./sqlite.ts";

/** What a collection found and did. */
export interface CollectedContents {
  /** Contents that stay: some record names them, or they were used within the window. */
  readonly kept: number;
  /** Contents that no record names, and that go when every run that was open when this was found has been closed. */
  readonly waiting: number;
  readonly removed: number;
  readonly removedBytes: number;
  /** Runs whose records cannot be read. As long as there are any, nothing goes. */
  readonly unreadable: readonly string[];
}

const nothing: CollectedContents = { kept: 0, waiting: 0, removed: 0, removedBytes: 0, unreadable: [] };

/**
 * Removes the contents that no record names (STORE-8). Safe beside any number of owners, readers and collections, and when
 * it is killed anywhere: each of its transactions leaves a whole store.
 *
 * Why nothing that a record names is ever lost: the row in `naming` is written with the entry that names the content, and
 * its foreign key refuses the removal. Why nothing is lost that an open run may still name: a content is first marked with
 * the newest epoch there is, and goes only when no owner of that or an older epoch is left. A younger one finds no record
 * that names it, so it has to put it anew; and whoever uses it takes the mark away.
 */
export async function collectContents(medium: Medium, options: CollectOptions = {}): Promise<CollectedContents> {
  checkCollectOptions(options);
  const { windowMs = contentWindowMsDefault, signal } = options;
  signal?.throwIfAborted();
  const open = await medium.connection.toRead();
  if (open === undefined) return nothing;
  const unreadable = await unreadableRuns(medium, open, signal);
  if (unreadable.length > 0) return { ...nothing, ...(await countsOf(medium, open)), unreadable };
  const oldest = medium.parts.now() - windowMs;
  await markUnnamed(medium, oldest, await deadOwners(medium, open));
  let removed = 0;
  let removedBytes = 0;
  for (let sizes: readonly number[] = [0]; sizes.length > 0;) {
    signal?.throwIfAborted();
    sizes = await removeMarked(medium, oldest);
    removed += sizes.length;
    for (const size of sizes) removedBytes += size;
  }
  return { ...(await countsOf(medium, open)), removed, removedBytes, unreadable: [] };
}

/** One record is held at a time. */
async function unreadableRuns(
  { parts }: Medium,
  open: Open,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const unreadable: string[] = [];
  const pause = slices(signal);
  for await (const { runId } of everyRun(open.sqlite, parts.busyMs)) {
    await pause();
    try {
      await readRun(parts, open, runId);
    } catch (error) {
      if (!isPulseError(error, "PULSE_CORRUPT") && !isPulseError(error, "PULSE_NEWER_FORMAT")) throw error;
      unreadable.push(runId);
    }
  }
  return unreadable;
}

/** The epochs of owners that can never write again, and have not let go. */
async function deadOwners({ parts }: Medium, open: Open): Promise<readonly number[]> {
  const owners = await whenFree(
    parts.busyMs,
    () => open.sqlite.all("SELECT epoch, holder, asked FROM owner") as readonly OwnerRow[],
  );
  const dead: number[] = [];
  for (const owner of owners) if ((await judgeOwner(parts, open, owner)) === "dead") dead.push(owner.epoch);
  return dead;
}

const unnamed = "NOT EXISTS (SELECT 1 FROM naming WHERE content = content.number)";

/** The runs of dead owners are free from then on, as if somebody had taken them and let go. */
async function markUnnamed({ parts, batch }: Medium, oldest: number, dead: readonly number[]): Promise<void> {
  await batch.add({
    durable: true,
    write: ({ sqlite }) =>
      atStep(parts.at, "collect-mark", () => {
        for (const epoch of dead) sqlite.run("DELETE FROM owner WHERE epoch = ?", epoch);
        sqlite.run(
          `UPDATE content SET leaving = (SELECT coalesce(max(epoch), 0) FROM owner) WHERE leaving IS NULL AND used <= ? AND ${unnamed}`,
          oldest,
        );
      }),
  });
}

/** Contents that one transaction removes: more would keep the event loop still for too long. */
const removedMax = 50;

/** The sizes of the contents that went. */
async function removeMarked({ parts, batch }: Medium, oldest: number): Promise<readonly number[]> {
  return await batch.add({
    durable: true,
    write: ({ sqlite }) =>
      atStep(parts.at, "collect-remove", () => {
        const going = sqlite.all(
          `SELECT number, size FROM content WHERE leaving IS NOT NULL AND used <= ? AND ${unnamed}
           AND NOT EXISTS (SELECT 1 FROM owner WHERE epoch <= content.leaving) LIMIT ?`,
          oldest,
          removedMax,
        ) as readonly { readonly number: number; readonly size: number }[];
        for (const { number } of going) sqlite.run("DELETE FROM content WHERE number = ?", number);
        return going.map(({ size }) => size);
      }),
  });
}

async function countsOf({ parts }: Medium, { sqlite }: Open): Promise<Pick<CollectedContents, "kept" | "waiting">> {
  const count = (where: string): number => countIn(sqlite, `SELECT count(*) AS count FROM content WHERE ${where}`);
  return await whenFree(parts.busyMs, () => ({
    kept: count("leaving IS NULL"),
    waiting: count("leaving IS NOT NULL"),
  }));
}

const countIn = (sqlite: Sqlite, sql: string): number =>
  (sqlite.get(sql) as { readonly count: number } | undefined)?.count ?? 0;
