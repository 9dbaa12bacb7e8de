import { join, resolve } from "node:path";
import type { Catalog, Session, Store } from "@pulse-ts/durable";
import { checkOptions, isText, ownHolder, shown, systemProbe, wholeFrom } from "@pulse-ts/durable/define-store";
import type { CollectOptions, OptionCheck } from "@pulse-ts/durable/define-store";
import { fileCatalog } from "./catalog.ts";
import { collectContents } from "./collect.ts";
import type { CollectedContents } from "./collect.ts";
import { doingWith } from "./epoch.ts";
import { storeError } from "./failure.ts";
import { journalName, runFolder } from "./layout.ts";
import { own } from "./owner.ts";
import type { Parts } from "./parts.ts";
import { realPlatform } from "./platform.ts";
import { prepareRoot } from "./root.ts";
import { JournalFile, roomFromDefault } from "./journal-file.ts";
import { FileSession } from "./store.ts";

export interface FileStoreOptions {
  /** Where the runs are kept: a folder on a local disk. It is made when the first run is acquired. */
  readonly folder: string;
  /**
   * Milliseconds without a sign of life after which an owner that cannot be judged (another container, another host)
   * counts as gone; default {@link staleMsDefault}, at least {@link staleMsMin}. Longer: slower takeover from such an
   * owner. Shorter: it loses its run when it is blocked that long. An owner that can be judged never depends on it.
   */
  readonly staleMs?: number;
  /**
   * Bytes of journal below which a run is not folded into a snapshot; default {@link foldBytesMinDefault}. More: fewer
   * files written, more to read when a run is loaded.
   */
  readonly foldBytesMin?: number;
  /**
   * Values with more bytes than this are kept as contents: in files of their own, once for all runs (STORE-8); default
   * {@link contentBytesMinDefault}. More: bigger values stand in the journal, and again in each snapshot. Fewer: more
   * files, and each costs a sync of its own.
   */
  readonly contentBytesMin?: number;
}

export const staleMsDefault = 15_000;
export const staleMsMin = 2_000;
export const foldBytesMinDefault = 65_536;
export const contentBytesMinDefault = 16_384;

/** A store whose catalogue is there. */
export interface FileStore extends Store {
  readonly catalog: Catalog;
  /**
   * Removes big values that no record names any more (STORE-8): those of deleted runs, and of saves that failed. Nothing
   * calls it by itself; once a day is a good measure. It reads every record once or twice, takes nothing from a run that is
   * open, and may be called at any time and by several at once.
   * @throws PULSE_STORE, PULSE_INVALID
   */
  collect(options?: CollectOptions): Promise<CollectedContents>;
}

/**
 * Keeps run records in files under one folder: for one host and any number of processes. A save that resolved survives
 * the death of the process and a loss of power, as far as the disk keeps what `fsync` covers.
 * Nothing is touched before the first call.
 * @throws PULSE_INVALID for options that cannot be
 */
export function fileStore(options: FileStoreOptions): FileStore {
  return openFileStore(options, {});
}

/** The same with parts of one's own: for tests of this package. */
export function openFileStore(
  options: FileStoreOptions,
  replaced: Partial<Pick<Parts, "platform" | "probe" | "holder" | "foldEarly" | "roomFrom">>,
): FileStore {
  checkOptions<FileStoreOptions>("opening a file store", options, storeOptions);
  const parts: Parts = {
    root: resolve(options.folder),
    staleMs: options.staleMs ?? staleMsDefault,
    foldBytesMin: options.foldBytesMin ?? foldBytesMinDefault,
    contentBytesMin: options.contentBytesMin ?? contentBytesMinDefault,
    foldEarly: false,
    roomFrom: roomFromDefault,
    platform: realPlatform,
    probe: systemProbe,
    holder: ownHolder,
    ...replaced,
  };
  return {
    catalog: fileCatalog(parts),
    collect: async (collectOptions) => await collectContents(parts, collectOptions),
    acquire: async (runId, callOptions) => await acquire(parts, runId, callOptions?.signal),
  };
}

async function acquire(parts: Parts, runId: string, signal: AbortSignal | undefined): Promise<Session> {
  const run = runFolder(parts.root, runId);
  const doing = doingWith("acquiring", run);
  signal?.throwIfAborted();
  try {
    await prepareRoot(parts, doing);
    const { epoch, lock } = await own(parts, run, doing, signal);
    try {
      const journal = join(run.path, journalName(epoch.incarnation, epoch.epoch));
      return new FileSession(parts, lock, epoch, await JournalFile.open(parts.platform, journal, parts.roomFrom));
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw storeError(doing, error);
  }
}

const storeOptions: Readonly<Record<keyof FileStoreOptions, OptionCheck>> = {
  folder: (folder) =>
    isText(folder) && folder !== "" && !folder.includes("\0")
      ? undefined
      : `is ${shown(folder)}; give the path of a folder on a local disk`,
  staleMs: wholeFrom(staleMsMin, "milliseconds"),
  foldBytesMin: wholeFrom(0, "bytes"),
  contentBytesMin: wholeFrom(0, "bytes"),
};
