import { constants } from "node:fs";
import { access, mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Problem, systemCode } from "../problem.ts";

const reasons = new Map([
  ["EEXIST", "there is a file of that name"],
  ["ENOTDIR", "a part of that path is a file"],
  ["EACCES", "no permission"],
  ["EPERM", "no permission"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["ENAMETOOLONG", "the name is too long"],
]);

const reasonOf = (error: unknown): string => {
  const code = systemCode(error) ?? String(error);
  return reasons.get(code) ?? code;
};

/**
 * Makes a folder of the job's own if it is not there, before any work is done for it. Gives its true path.
 * @throws Problem when it cannot be made or written in
 */
export async function ownFolder(path: string, use: string): Promise<string> {
  const absolute = resolve(path);
  try {
    await mkdir(absolute, { recursive: true });
    await access(absolute, constants.W_OK | constants.X_OK);
    return await realpath(absolute);
  } catch (error) {
    throw new Problem(`${use} cannot be kept in ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Writes a file whole: a reader, or a kill in between, finds the old one or the new one.
 * @throws Problem when it cannot be written
 */
export async function writeWhole(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  // One name a process: two runs that write the same report do not meet in the half-written file.
  const staged = join(folder, `.${name}.${process.pid}`);
  try {
    await writeFile(staged, text);
    await rename(staged, path);
    return path;
  } catch (error) {
    throw new Problem(`the report ${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
