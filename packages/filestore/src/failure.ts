import { isPulseError } from "@pulse-ts/core";
import { refusal } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import { systemCode } from "./platform.ts";

/** Turns what the system threw into an error that says which cause and what helps (FILE-6). Pulse's own pass. */
export function storeError(doing: Doing, cause: unknown): unknown {
  if (isPulseError(cause)) return cause;
  const code = systemCode(cause);
  // What has no system code was not thrown by the disk: a mistake in a program stays what it is.
  if (code === undefined) return cause;
  const medium = (onePath.has(code) ? pathOf(cause) : undefined) ?? doing.medium;
  return refusal({ ...doing, medium }, `${meaning(code)} (${code})`, code, cause);
}

/** What is wrong with exactly the file or folder that the system names; of the others it may name one that is as good as any. */
const onePath = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENOENT"]);

function pathOf(cause: unknown): string | undefined {
  const { path } = cause as { readonly path?: unknown };
  return typeof path === "string" ? path : undefined;
}

function meaning(code: string): string {
  return meanings[code] ?? "the medium failed; look at the cause, mend it, then resume";
}

const meanings: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, then resume",
  EDQUOT: "the disk quota is used up; raise it or free some space, then resume",
  EFBIG: "the file is larger than the file system allows; move the store, then resume",
  EROFS: "the file system is read-only; mount it writable, then resume",
  EACCES: "permission is lacking; give this process read and write access to the folder, then resume",
  EPERM: "the operation is not permitted; give this process read and write access to the folder, then resume",
  ENOTDIR: "a part of the path is a file, not a folder; choose another folder or move the file",
  EEXIST: "a file is where a folder should be; choose another folder or move the file",
  EISDIR: "a folder is where a file should be; move it away",
  ENOENT: "a file or folder that should be there is missing; was it removed by hand?",
  ELOOP: "the path has too many symbolic links; choose another folder",
  ENAMETOOLONG: "the path is too long for this file system; choose a folder with a shorter path",
  EMFILE: "this process has too many open files; raise its limit or run fewer at once",
  ENFILE: "the system has too many open files; raise its limit",
  EIO: "the disk reported an error; check it, then resume",
};
