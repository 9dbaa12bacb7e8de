import { isText, optional, shown, wholeFrom } from "@pulse-ts/durable/define-store";
import type { OptionCheck } from "@pulse-ts/durable/define-store";

export interface SqliteStoreOptions {
  /**
   * The database file, on a local disk. It is made when the first run is acquired, in a folder that must be there; SQLite
   * keeps two more beside it while it is open (`-wal`, `-shm`).
   */
  readonly file: string;
  /**
   * `full` (the default): a save that resolved survives a loss of power; each costs a sync of the disk. `normal`: it
   * survives the death of the process, and a loss of power may take the last ones with it, each whole; nothing is synced
   * but every thousand pages.
   */
  readonly synchronous?: "full" | "normal";
  /**
   * Milliseconds that a call waits for another process that is writing; default {@link busyMsDefault}. The event loop goes
   * on meanwhile. Longer: a process that hangs in the midst of a transaction is told of later.
   */
  readonly busyMs?: number;
  /**
   * Milliseconds that an owner that cannot be judged (another container) has to give a sign of life once somebody has
   * tried to acquire its run; then a later try takes it. Default {@link staleMsDefault}, at least {@link staleMsMin}.
   * Longer: slower takeover from such an owner. Shorter: it loses its run when it is blocked that long. An owner that can
   * be judged never depends on it.
   */
  readonly staleMs?: number;
  /**
   * Values with more bytes than this are kept as contents: in rows of their own, once for all runs (STORE-8); default
   * {@link contentBytesMinDefault}. More: bigger values stand in their entry's row. Fewer: more rows for each save.
   */
  readonly contentBytesMin?: number;
}

export const busyMsDefault = 5_000;
export const staleMsDefault = 15_000;
export const staleMsMin = 2_000;
export const contentBytesMinDefault = 16_384;

/** What is wrong with each option (PULSE_INVALID). */
export const storeOptions: Readonly<Record<keyof SqliteStoreOptions, OptionCheck>> = {
  file: (file) =>
    isText(file) && isFileName(file) ? undefined : `is ${shown(file)}; give the path of a file on a local disk`,
  synchronous: optional((value) => value === "full" || value === "normal", `"full" or "normal"`),
  busyMs: wholeFrom(0, "milliseconds"),
  staleMs: wholeFrom(staleMsMin, "milliseconds"),
  contentBytesMin: wholeFrom(0, "bytes"),
};

/** SQLite and its driver take some names for something else than a file: nothing would be kept. */
export const isFileName = (file: string): boolean =>
  file !== "" && file.trim() === file && file !== ":memory:" && !file.startsWith("file:") && !file.includes("\0");
