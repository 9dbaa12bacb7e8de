import { randomBytes } from "node:crypto";
import { open as openFile, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkOptions, corrupt, optional, refusal, shown } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import { PulseError } from "@pulse-ts/core";
import { lockMs, whenFree } from "./busy.ts";
import { atAsyncStep } from "./fault-points.ts";
import { inspectDatabase } from "./integrity.ts";
import { isFileName } from "./options.ts";
import type { Medium } from "./owner.ts";
import type { Parts } from "./parts.ts";
import { Sqlite } from "./sqlite.ts";

/** How far a copy has come. */
export interface BackupProgress {
  readonly copiedBytes: number;
  readonly totalBytes: number;
}

/** What a backup may be told. */
export interface BackupOptions {
  /** Called after each piece that was copied, a hundred pages, and at the end. What it throws ends the backup. */
  readonly onProgress?: (progress: BackupProgress) => void;
  /** Ends the backup between two pieces: there is no copy then. */
  readonly signal?: AbortSignal;
}

/** A copy that was made and looked at. */
export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly runs: number;
}

/** Copies into a file beside the one that it is to become, which gets its name when all of it has been looked at. */
export async function backUp(
  { parts, connection }: Medium,
  path: string,
  options: BackupOptions = {},
): Promise<Backup> {
  const file = checkedPath(path);
  checkOptions<BackupOptions>("backing up", options, {
    onProgress: optional((value) => typeof value === "function", "a function"),
    signal: optional((value) => value instanceof AbortSignal, "an AbortSignal"),
  });
  const doing: Doing = { what: `backing up ${parts.file}`, runId: "", medium: file };
  await refuseTaken(doing, file);
  await connection.toWrite();
  const staged = `${file}.${randomBytes(6).toString("hex")}.part`;
  try {
    await atAsyncStep(parts.at, "backup-copy", async () => await copy(parts, staged, options));
    const { runs, bytes } = await atAsyncStep(
      parts.at,
      "backup-check",
      async () => await look(parts, staged, options.signal),
    );
    await atAsyncStep(parts.at, "backup-publish", async () => await publish(doing, staged, file));
    return { file, bytes, runs };
  } finally {
    for (const end of ["", "-journal", "-wal", "-shm"]) await rm(staged + end, { force: true });
  }
}

function checkedPath(path: unknown): string {
  if (typeof path === "string" && isFileName(path)) return resolve(path);
  const message = `path is ${shown(path)}; give the path of a file that is not there yet`;
  throw new PulseError("PULSE_INVALID", `backing up: ${message}`, {
    details: { problems: [{ code: "PULSE_OPTION_INVALID", message, path: "path" }] },
  });
}

async function refuseTaken(doing: Doing, file: string): Promise<void> {
  if (await isThere(file)) throw taken(doing);
  if (await isThere(dirname(file))) return;
  throw refusal(doing, `there is no folder ${dirname(file)}; make it, or choose another`, "ENOENT");
}

const taken = (doing: Doing): Error =>
  refusal(doing, "there is a file of that name already, and no backup overwrites one; choose another name", "EEXIST");

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return false;
    throw error;
  }
}

/** Pages that are copied in one turn of the event loop. */
const pagesPerTurn = 100;

/**
 * By a connection of its own that keeps to the state in which it began: so no save, of whatever process, makes it begin
 * anew. Until it ends the log of the store cannot be shortened.
 */
async function copy({ file, busyMs }: Parts, staged: string, { onProgress, signal }: BackupOptions): Promise<void> {
  const source = new Sqlite(file, { lockMs, mustExist: true });
  try {
    const pageBytes = Number(source.pragma("page_size"));
    await whenFree(busyMs, () => {
      source.run("BEGIN");
      try {
        source.get("SELECT count(*) FROM sqlite_schema");
      } catch (error) {
        source.run("ROLLBACK");
        throw error;
      }
    });
    const told = (remaining: number, total: number): void =>
      onProgress?.({ copiedBytes: (total - remaining) * pageBytes, totalBytes: total * pageBytes });
    const total = await source.backup(staged, (copied) => {
      signal?.throwIfAborted();
      told(copied.remaining, copied.total);
      return pagesPerTurn;
    });
    told(0, total);
  } finally {
    source.close();
  }
}

/** Takes the owners out of the copy, makes it one file, and looks at all of it. @throws PULSE_CORRUPT */
async function look(
  { busyMs }: Parts,
  staged: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly runs: number; readonly bytes: number }> {
  const sqlite = new Sqlite(staged, { lockMs, mustExist: true });
  try {
    // A process that lives on may not own runs in a copy of its store.
    sqlite.run("DELETE FROM owner");
    sqlite.pragma("journal_mode = DELETE");
    const { problems, runs } = await inspectDatabase({ sqlite, file: staged, busyMs, signal });
    const [first] = problems;
    if (first !== undefined) {
      const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
      throw corrupt(
        first.runId ?? "",
        first.found,
        `the copy is damaged${others}`,
        "look at the store with checkIntegrity()",
      );
    }
    return { runs, bytes: Number(sqlite.pragma("page_count")) * Number(sqlite.pragma("page_size")) };
  } finally {
    sqlite.close();
  }
}

/** On disk under its name, whatever happens next. */
async function publish(doing: Doing, staged: string, file: string): Promise<void> {
  const copied = await openFile(staged, "r+");
  try {
    await copied.sync();
  } finally {
    await copied.close();
  }
  if (await isThere(file)) throw taken(doing);
  await rename(staged, file);
  // Windows syncs no folders.
  if (process.platform === "win32") return;
  const folder = await openFile(dirname(file), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
