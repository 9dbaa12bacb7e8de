import { accessSync, constants, fdatasync, fstatSync, statSync, writeSync } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rmdir, stat, statfs, unlink, utimes } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { StepOf } from "./steps.ts";

/**
 * Every way in which this package touches the disk. Each call that changes something names its place in the store's
 * work (`Step`), so that a test can make exactly that one fail, or end the process before or after it.
 */
export interface Platform {
  /** Creates a file that must not be there yet, for appending. */
  createFile(step: StepOf<"createFile">, path: string): Promise<FileHandle>;
  /** Opens a file that must be there, for writing at places that each write tells. */
  openToWrite(path: string): Promise<FileHandle>;
  /**
   * Writes all of `bytes`, in one write where the system takes them at once: at this place, or else behind what was written
   * before.
   */
  write(step: StepOf<"write">, file: FileHandle, bytes: Uint8Array, at?: number): Promise<void>;
  /** Makes a file that is longer so long. */
  truncate(step: StepOf<"truncate">, file: FileHandle, length: number): Promise<void>;
  /** Resolves when what was written to the file, and its length, survive a loss of power. */
  sync(step: StepOf<"sync">, file: FileHandle): Promise<void>;
  /** Resolves when the names in the folder survive a loss of power. Windows has no such call and needs none. */
  syncFolder(step: StepOf<"syncFolder">, path: string): Promise<void>;
  /** Gives a file a second name; EEXIST when that name is taken. Of several callers exactly one succeeds. */
  link(step: StepOf<"link">, from: string, to: string): Promise<void>;
  /** Moves a file or folder. A folder never replaces one that has anything in it. */
  rename(step: StepOf<"rename">, from: string, to: string): Promise<void>;
  unlink(step: StepOf<"unlink">, path: string): Promise<void>;
  /** Makes a folder and those above it, where they are not there yet. */
  makeFolder(step: StepOf<"makeFolder">, path: string): Promise<void>;
  /** Makes a folder that must not be there yet; EEXIST else. */
  makeNewFolder(step: StepOf<"makeNewFolder">, path: string): Promise<void>;
  /** Removes a folder that is empty; ENOTEMPTY else. */
  removeFolder(step: StepOf<"removeFolder">, path: string): Promise<void>;
  /** Sets when the file or folder was last changed. */
  touch(step: StepOf<"touch">, path: string, at: Date): Promise<void>;
  /** Whether the path exists, at once: this and `remains` stand in every save, and each takes microseconds. */
  exists(path: string): boolean;
  /** The same, sooner for a path that most likely exists. */
  remains(path: string): boolean;
  /** The names in a folder; `undefined` when there is none. */
  list(path: string): Promise<readonly string[] | undefined>;
  /** When the file or folder was last changed, in ms since 1970; `undefined` when there is none. */
  changedAt(path: string): Promise<number | undefined>;
  /** Bytes in a file; `undefined` when there is none. */
  sizeOf(path: string): Promise<number | undefined>;
  openToRead(path: string): Promise<FileHandle>;
  /** All bytes of a file; ENOENT when there is none. */
  readAll(path: string): Promise<Uint8Array>;
  /** The text of a small file; `undefined` when there is none. */
  readSmall(path: string): Promise<string | undefined>;
  /** The kernel's number for the kind of file system; `undefined` where it means nothing. */
  fileSystemType(path: string): Promise<number | undefined>;
}

/** The system code of an error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

const windows = process.platform === "win32";

/**
 * Bytes up to which a write happens at once. It puts them into the system's memory, which takes a few microseconds; to
 * have another thread do it takes ten times as long. Waiting for the disk is always another thread's.
 */
const writtenAtOnceMax = 16 * 1024;

/** The real file system. */
export const realPlatform: Platform = {
  createFile: async (_step, path) => await open(path, "ax"),
  openToWrite: async (path) => await open(path, constants.O_WRONLY),
  async write(_step, file, bytes, at) {
    const { length } = bytes;
    for (let done = 0; done < length;) {
      const place = at === undefined ? null : at + done;
      if (length <= writtenAtOnceMax) done += writeSync(file.fd, bytes, done, length - done, place);
      else done += (await file.write(bytes, done, length - done, place)).bytesWritten;
    }
  },
  truncate: async (_step, file, length) => await file.truncate(length),
  // Stands in every save: the file's own method makes more promises and objects on the way to the same call.
  sync: (_step, { fd }) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    }),
  async syncFolder(_step, path) {
    if (windows) return;
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  link: async (_step, from, to) => await link(from, to),
  rename: async (_step, from, to) => await rename(from, to),
  unlink: async (_step, path) => await unlink(path),
  makeFolder: async (_step, path) => await makeFolders(path),
  makeNewFolder: async (_step, path) => await mkdir(path),
  removeFolder: async (_step, path) => await rmdir(path),
  touch: async (_step, path, at) => await utimes(path, at, at),
  exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
  remains(path) {
    try {
      accessSync(path);
      return true;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
  },
  list: async (path) => await unlessMissing(readdir(path)),
  changedAt: async (path) => (await unlessMissing(stat(path)))?.mtimeMs,
  sizeOf: async (path) => (await unlessMissing(stat(path)))?.size,
  async openToRead(path) {
    const file = await open(path, "r");
    // Some systems open a folder, and refuse each read of it without its name.
    if (!fstatSync(file.fd).isDirectory()) return file;
    await file.close();
    throw Object.assign(new Error(`EISDIR: illegal operation on a directory, open '${path}'`), {
      code: "EISDIR",
      path,
    });
  },
  async readAll(path) {
    const { buffer, byteOffset, length } = await named(path, readFile(path));
    return new Uint8Array(buffer, byteOffset, length);
  },
  readSmall: async (path) => await unlessMissing(named(path, readFile(path, "utf8"))),
  fileSystemType: async (path) => (process.platform === "linux" ? (await statfs(path)).type : undefined),
};

/**
 * As `mkdir` with `recursive`, which never ends where the system calls a folder missing although all above it is there
 * (Node 20 under `/proc`).
 */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" && dirname(path) !== path && !(await isFolder(dirname(path)))) {
      await makeFolders(dirname(path));
      await makeFolders(path);
    } else if (!(await isFolder(path))) throw error;
  }
}

const isFolder = async (path: string): Promise<boolean> => (await unlessMissing(stat(path)))?.isDirectory() === true;

/** Gives the error of a read the name of its file: the system's own has none when the file was opened and not read. */
async function named<Result>(path: string, pending: Promise<Result>): Promise<Result> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof Error && !("path" in error)) Object.assign(error, { path });
    throw error;
  }
}

async function unlessMissing<Result>(pending: Promise<Result>): Promise<Result | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
