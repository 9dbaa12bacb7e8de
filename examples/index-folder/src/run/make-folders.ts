import { lstat, mkdir, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../problem.ts";

/**
 * Makes a folder and those above it that are missing, one level at a time, and gives the ones that it made, the topmost
 * first. `mkdir` with `recursive` never ends where the system calls a folder missing although all above it is there (Node
 * 20 under `/proc`).
 * @throws what the system says of the first level that cannot be made
 */
export async function makeFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let level = path; !(await isThere(level)) && dirname(level) !== level; level = dirname(level)) {
    missing.unshift(level);
  }
  // Something else has the name: the system says what.
  if (missing.length === 0 && !(await isFolder(path))) missing.push(path);
  const made: string[] = [];
  for (const level of missing) {
    try {
      await mkdir(level);
      made.push(level);
    } catch (error) {
      // Another process made it a moment ago: then it is that one's.
      if (systemCode(error) === "EEXIST" && (await isFolder(level))) continue;
      await removeEmpty(made);
      throw error;
    }
  }
  return made;
}

/** Takes folders that `makeFolders` made away again, unless something has been put into them. */
export async function removeEmpty(made: readonly string[]): Promise<void> {
  for (const level of made.toReversed()) {
    try {
      await rmdir(level);
    } catch {
      // It is used, or gone: what is above it is then not empty or no matter.
      return;
    }
  }
}

/** A link counts as there, wherever it leads. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
