import { isPulseError, PulseError } from "@pulse-ts/core";
import { shownRunId } from "@pulse-ts/durable";
import type { NextStep } from "@pulse-ts/durable";
import { systemCode } from "./platform.ts";

/** What was being done when something failed, for messages. */
export interface Doing {
  /** `saving run "order-7"` */
  readonly what: string;
  readonly runId: string;
  /** The file or folder. */
  readonly medium: string;
}

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

/** A PULSE_STORE error for a medium that cannot do what the store needs. `found` says what it did, and what helps. */
export function refusal(doing: Doing, found: string, code?: string, cause?: unknown): PulseError<"PULSE_STORE"> {
  return new PulseError("PULSE_STORE", `${doing.what}: ${found}; at ${doing.medium}`, {
    details: {
      runId: doing.runId,
      next: "mend-store",
      medium: doing.medium,
      ...(code === undefined ? {} : { systemCode: code }),
    },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A PULSE_CORRUPT error: `where` is file and line, `found` what is wrong there (FILE-2), `helps` what to do about it. */
export function corrupt(
  runId: string,
  where: string,
  found: string,
  helps = "restore the run from a backup",
): PulseError<"PULSE_CORRUPT"> {
  return new PulseError("PULSE_CORRUPT", `reading run "${shownRunId(runId)}": ${where}: ${found}; ${helps}`, {
    details: { runId, next: "restore-backup", where },
  });
}

/** A PULSE_USAGE error for a call that the store contract does not allow. */
export function usage(runId: string, rule: string, message: string, next?: NextStep): PulseError<"PULSE_USAGE"> {
  return new PulseError("PULSE_USAGE", message, {
    details: { rule, runId, ...(next === undefined ? {} : { next }) },
  });
}

/** A PULSE_NOT_FOUND error: nothing was ever saved under this run id (STORE-3). */
export const notFound = (runId: string): PulseError<"PULSE_NOT_FOUND"> =>
  new PulseError("PULSE_NOT_FOUND", `loading run "${shownRunId(runId)}": there is no such run; start it first`, {
    details: { runId, next: "start" },
  });

/** A PULSE_OWNERSHIP_LOST error: a newer owner was seen (STORE-6). */
export const ownershipLost = (runId: string, epoch: number): PulseError<"PULSE_OWNERSHIP_LOST"> =>
  new PulseError(
    "PULSE_OWNERSHIP_LOST",
    `saving run "${shownRunId(runId)}": somebody else took it over from epoch ${epoch}; resume it when that one has let go`,
    { details: { runId, next: "resume", epoch } },
  );

/** A PULSE_CONFLICT error: nothing was changed (STORE-3). */
export const conflict = (
  runId: string,
  what: string,
  expected: unknown,
  found: unknown,
): PulseError<"PULSE_CONFLICT"> =>
  new PulseError(
    "PULSE_CONFLICT",
    `saving run "${shownRunId(runId)}": ${what} ${String(expected)} was expected, found ${String(found)}; nothing was saved, load the run again`,
    { details: { what, runId, next: "resume", expected, found } },
  );

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
