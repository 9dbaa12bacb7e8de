import { isPulseError, PulseError } from "@pulse-ts/core";
import { corrupt, usage } from "@pulse-ts/durable/define-store";
import type { MediumFailure } from "@pulse-ts/durable/define-store";

/** The file cannot be used, for a reason that this store found itself. */
export class Refused extends Error {
  readonly failure: MediumFailure;

  constructor(found: string, systemCode?: string) {
    super(found);
    this.failure = systemCode === undefined ? { found } : { found, systemCode };
  }
}

/** The file was made by a later version (STORE-9). */
export class NewerSchema extends Error {
  readonly found: number;
  readonly supported: number;

  constructor(found: number, supported: number) {
    super(`schema version ${found}`);
    this.found = found;
    this.supported = supported;
  }
}

/** The store object was closed. */
export class ClosedStore extends Error {}

/** What SQLite, the system or this store found wrong, in words, with what helps. `undefined` for what is none of that. */
export function explainFailure(error: unknown): MediumFailure | undefined {
  if (error instanceof Refused) return error.failure;
  const found = nativePartMissing(error);
  if (found !== undefined) return { found, systemCode: "ERR_DLOPEN_FAILED" };
  const systemCode = codeOf(error);
  if (systemCode === undefined) return undefined;
  const meaning = meanings[systemCode] ?? meanings[primaryOf(systemCode)];
  if (meaning === undefined && !/^SQLITE_|^E[A-Z0-9]+$/.test(systemCode)) return undefined;
  return {
    found: `${meaning ?? "the database failed; look at the cause, mend it, then resume"} (${systemCode})`,
    systemCode,
  };
}

/** The errors that are more than a failing medium, with the run that they are about; everything else passes. */
export function namingRun(error: unknown, runId: string, file: string): unknown {
  if (error instanceof ClosedStore) return usage(runId, "STORE-2", `the store at ${file} is closed; make a new one`);
  if (error instanceof NewerSchema) {
    const { found, supported } = error;
    return new PulseError(
      "PULSE_NEWER_FORMAT",
      `opening ${file}: it has schema version ${found}, this version of @pulse-ts/sqlite-store knows up to ${supported}; use a newer one`,
      { details: { runId, next: "newer-package", found, supported }, cause: error },
    );
  }
  const code = isPulseError(error) ? undefined : codeOf(error);
  if (code === undefined || primaryOf(code) !== "SQLITE_CORRUPT") return error;
  const helps = "restore it from a backup, or see with checkIntegrity() what is left";
  return corrupt(runId, file, `SQLite finds the file damaged (${code})`, helps);
}

const codeOf = (error: unknown): string | undefined => {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
};

/** `SQLITE_IOERR_FSYNC` -> `SQLITE_IOERR` */
const primaryOf = (code: string): string => code.split("_").slice(0, 2).join("_");

/** Its install script was kept from running, or ran for another version of Node. */
function nativePartMissing(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const missing = error.message.startsWith("Could not locate the bindings file");
  if (!missing && codeOf(error) !== "ERR_DLOPEN_FAILED") return undefined;
  return [
    missing
      ? "better-sqlite3 was installed without its native part"
      : "better-sqlite3's native part does not fit this Node",
    "its install script makes it, and npm 12 and pnpm run none that is not approved: run `npm install-scripts approve better-sqlite3`",
    "(pnpm: `pnpm approve-builds`), then `npm rebuild better-sqlite3`",
  ].join("; ");
}

const meanings: Readonly<Record<string, string>> = {
  SQLITE_FULL: "the disk is full, or the database has reached its greatest size; free some space, then resume",
  SQLITE_BUSY:
    "another process held the database's write lock for too long; find out which, or allow more time (busyMs), then resume",
  SQLITE_LOCKED: "another connection held the database for too long; allow more time (busyMs), then resume",
  SQLITE_READONLY:
    "the database may only be read; give this process write access to the file and its folder, then resume",
  SQLITE_READONLY_DIRECTORY:
    "the database's folder may only be read, and SQLite keeps its log there; give write access, then resume",
  SQLITE_READONLY_DBMOVED: "the database file was moved or removed while it was open; put it back, then resume",
  SQLITE_CANTOPEN:
    "the file or its log beside it cannot be opened or made; look whether the folder is there, can be written and is not full, then resume",
  SQLITE_NOTADB:
    "the file is no SQLite database, or its beginning is damaged, and nothing of it was changed; choose another file, or restore it from a backup",
  SQLITE_CORRUPT: "SQLite finds the file damaged; restore it from a backup",
  SQLITE_IOERR: "the disk reported an error; check it, then resume",
  SQLITE_PERM: "permission is lacking; give this process read and write access to the file and its folder, then resume",
  SQLITE_AUTH: "permission is lacking; give this process read and write access to the file and its folder, then resume",
  SQLITE_NOMEM: "memory ran out; give the process more, then resume",
  SQLITE_TOOBIG: "a value is larger than SQLite can keep (1 GB); keep it elsewhere and name it in the run",
  SQLITE_NOLFS: "the file system cannot keep so large a file; move the database",
  SQLITE_PROTOCOL: "SQLite's locks do not work here; put the file on a local disk",
  ENOSPC: "the disk is full; free some space, then resume",
  EROFS: "the file system is read-only; mount it writable, then resume",
  EACCES: "permission is lacking; give this process read and write access to the file and its folder, then resume",
  ENOTDIR: "a part of the path is a file, not a folder; choose another path",
  EIO: "the disk reported an error; check it, then resume",
};
