import { constants } from "node:fs";
import { access, readlink, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Problem, systemCode } from "../problem.ts";
import { makeFolders, removeEmpty } from "./make-folders.ts";

const reasons = new Map([
  ["EEXIST", "there is a file of that name"],
  ["ENOTDIR", "a part of that path is a file"],
  ["EACCES", "no permission"],
  ["EPERM", "no permission"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ELOOP", "links lead in a circle"],
  ["ENOENT", "the system makes no folder there"],
]);

const reasonOf = (error: unknown): string => {
  const code = systemCode(error);
  if (code === undefined) return String(error);
  const reason = reasons.get(code);
  return reason === undefined ? code : `${reason} (${code})`;
};

/** A folder of the job's own. */
export interface OwnFolder {
  /** Its true path. */
  readonly path: string;
  /** Takes away what was made for it, as far as it is still empty. */
  removeIfEmpty(): Promise<void>;
}

/** Where a folder lies in truth, if it is there; the path as it was given if not. */
export async function truePath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

/**
 * Makes a folder of the job's own if it is not there, before any work is done for it.
 * @throws Problem when it cannot be made or written in
 */
export async function ownFolder(path: string, use: string): Promise<OwnFolder> {
  const absolute = resolve(path);
  let made: string[] = [];
  try {
    made = await makeFolders(absolute);
    await access(absolute, constants.W_OK | constants.X_OK);
    return { path: await realpath(absolute), removeIfEmpty: () => removeEmpty(made) };
  } catch (error) {
    await removeEmpty(made);
    const reason = (await deadLinkIn(absolute)) ?? reasonOf(error);
    throw new Problem(`${use} cannot be kept in ${path}: ${reason}`, { cause: error });
  }
}

/** What is to be said of a path of which one part is a link to nothing; undefined if none is. */
async function deadLinkIn(path: string): Promise<string | undefined> {
  for (let level = path; dirname(level) !== level; level = dirname(level)) {
    const target = await readlink(level).catch(() => undefined);
    if (target === undefined) continue;
    const there = await stat(level).then(
      () => true,
      (error: unknown) => systemCode(error) !== "ENOENT",
    );
    if (!there) return `${level === path ? "it" : level} is a link to ${target}, and nothing is there (ENOENT)`;
  }
  return undefined;
}

/**
 * Writes a file whole: a reader, or a kill in between, finds the old one or the new one. The folder is made again if it
 * was taken away while the job ran.
 * @throws Problem when it cannot be written
 */
export async function writeWhole(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  // One name a process: two runs that write the same report do not meet in the half-written file.
  const staged = join(folder, `.${name}.${process.pid}`);
  try {
    await makeFolders(folder);
    await writeFile(staged, text);
    await rename(staged, path);
    return path;
  } catch (error) {
    throw new Problem(`the report ${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
