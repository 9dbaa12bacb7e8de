import { mkdir, open, readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../problem.ts";

/**
 * A folder of files, each written once under its key. What a handler does outside happens again when a crash comes between
 * the deed and its confirmation; with the message's idempotency key as the name the second time changes nothing.
 */
export interface Outbox {
  /** Writes the text unless this key was written before. True when it was written now. */
  put(key: string, text: string): Promise<boolean>;
  /** The texts of all keys, ascending by key. */
  texts(): Promise<string[]>;
}

export function outboxIn(folder: string): Outbox {
  return {
    async put(key, text) {
      const path = join(folder, `${key}.json`);
      if (await isThere(path)) return false;
      await mkdir(folder, { recursive: true });
      await writeWhole(path, text);
      return true;
    },
    async texts() {
      const names = (await namesIn(folder)).filter((name) => name.endsWith(".json"));
      return await Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")));
    },
  };
}

/**
 * Writes a file under a temporary name and renames it: a reader, or a crash, finds all of it or nothing. It is on the disk
 * when this returns, since the message that it stands for is acknowledged next.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const staged = `${path}.${process.pid}.part`;
  const file = await open(staged, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(staged, path);
  await syncFolder(join(path, ".."));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and needs none to be synced.
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
