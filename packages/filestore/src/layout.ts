import { hash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { PulseError } from "@pulse-ts/core";
import { checkRunId, shownRunId } from "@pulse-ts/durable";

/**
 * Where things lie on disk:
 *
 * ```text
 * <folder>/pulse-filestore                   which version of this layout it is
 * <folder>/locks/<token>.lock                one for each owner, touched while it lives
 * <folder>/new/<token>                       a file or run folder before it is published
 * <folder>/contents/<2 digits>/<digest>      a big value, once for all runs (STORE-8)
 *     <digest>-<token>                       one that no record names, on its way out (`collect.ts`)
 * <folder>/contents/owners-<token>           who had a run open when those of this token left their place
 * <folder>/runs/<run id, encoded>/           one folder for each run
 *     run-<incarnation>                      empty; published together with the folder, and removed last
 *     journal-<incarnation>-<epoch>          what the owner of this epoch saved
 *     snapshot-<incarnation>-<revision>-<epoch>   the record as it was, written while this epoch was open
 * ```
 *
 * An incarnation is random and made with the folder. So no name ever comes again, even when a run is deleted and its
 * id is used anew: whoever still holds an old name can neither hit nor miss by chance what is there now.
 */
export interface RunFolder {
  readonly runId: string;
  readonly path: string;
}

/** One epoch of one making of a run. */
export interface EpochPlace {
  readonly run: RunFolder;
  readonly incarnation: string;
  readonly epoch: number;
}

/** Version of this layout and of the files in it (STORE-9). */
export const fileFormat = 1;

/** Characters in a run id. Longer ones are refused; what names a run should fit a line. */
export const runIdLengthMax = 16_384;

export const rootMarkName = "pulse-filestore";

export const runsFolder = (root: string): string => join(root, "runs");
export const locksFolder = (root: string): string => join(root, "locks");
export const newFolder = (root: string): string => join(root, "new");
export const contentsFolder = (root: string): string => join(root, "contents");

/** Where the content of this digest lies: in one of 256 folders, so that none has too many names. */
export const contentShard = (root: string, digest: string): string => join(contentsFolder(root), digest.slice(0, 2));
export const contentPath = (root: string, digest: string): string => join(contentShard(root, digest), digest);

/** The name of a content on its way out, and of the list of owners that it waits for. */
export const leavingName = (digest: string, token: string): string => `${digest}-${token}`;
export const ownersPath = (root: string, token: string): string => join(contentsFolder(root), `owners-${token}`);

/** What a file in a shard is; `undefined` for a name that is none of ours. */
export function sortContent(name: string): { readonly digest: string; readonly token?: string } | undefined {
  const found = /^([0-9a-f]{64})(?:-([0-9a-f]{32}))?$/.exec(name);
  if (found?.[1] === undefined) return undefined;
  return found[2] === undefined ? { digest: found[1] } : { digest: found[1], token: found[2] };
}

/** The folder of a run. @throws PULSE_INVALID for an id that cannot be kept; nothing on disk is touched (FILE-1) */
export function runFolder(root: string, runId: string): RunFolder {
  checkRunId(runId);
  if (runId.length > runIdLengthMax) throw tooLong(runId);
  return { runId, path: join(runsFolder(root), folderName(runId)) };
}

function tooLong(runId: string): PulseError<"PULSE_INVALID"> {
  const message = `the run id has ${runId.length} characters; give at most ${runIdLengthMax}`;
  return new PulseError("PULSE_INVALID", `taking run "${shownRunId(runId)}": ${message}`, {
    details: { problems: [{ code: "PULSE_OPTION_INVALID", message, path: "runId" }], runId, next: "new-run-id" },
  });
}

/**
 * A name that differs wherever run ids differ, also where the file system ignores case or normalises Unicode, that
 * stays inside its folder, and that no system reserves: only a-z, 0-9, `-`, `_` and `%` after the prefix.
 */
function folderName(runId: string): string {
  const name = runId.replaceAll(/[^a-z0-9_-]/gu, percentEncoded);
  return name.length <= nameLengthMax ? `id-${name}` : `sha256-${hash("sha256", runId)}`;
}

const percentEncoded = (character: string): string =>
  Array.from(Buffer.from(character, "utf8"), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** File systems take 255 bytes in a name; the rest is for what others put around it. */
const nameLengthMax = 200;

/** The run id that a folder's name spells out; `undefined` for one whose files must be read, or that is none of ours. */
export function runIdOfName(name: string): string | undefined {
  if (!/^id-./.test(name)) return undefined;
  try {
    const runId = decodeURIComponent(name.slice(3));
    return folderName(runId) === name ? runId : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder's name stands for a run whose id is told by the files in it. */
export const isHashedName = (name: string): boolean => /^sha256-[0-9a-f]{64}$/.test(name);

/** Random and unique: names an owner, or a file before it is published. */
export const newToken = (): string => randomBytes(16).toString("hex");
export const newIncarnation = (): string => randomBytes(8).toString("hex");

export const markName = (incarnation: string): string => `run-${incarnation}`;
export const journalName = (incarnation: string, epoch: number): string => `journal-${incarnation}-${epoch}`;
export const snapshotName = (incarnation: string, revision: number, epoch: number): string =>
  `snapshot-${incarnation}-${revision}-${epoch}`;

/** What lies in a run's folder, sorted: journals by epoch, snapshots by revision. */
export interface Listing {
  readonly incarnation: string;
  readonly epochs: readonly number[];
  readonly snapshots: readonly { readonly revision: number; readonly epoch: number }[];
  /** The highest epoch that any name tells of; 0 when none does. */
  readonly newestEpoch: number;
  /** Every name in the folder, of whatever kind. */
  readonly names: readonly string[];
}

/** Sorts the names in a run's folder; `undefined` when they make no run (yet, or any more). */
export function sortNames(names: readonly string[]): Listing | undefined {
  const mark = names.find((name) => /^run-[0-9a-f]{16}$/.test(name));
  if (mark === undefined) return undefined;
  const incarnation = mark.slice("run-".length);
  const epochs: number[] = [];
  const snapshots: { revision: number; epoch: number }[] = [];
  for (const name of names) {
    const found = /^(journal|snapshot)-([0-9a-f]{16})-(\d{1,16})(?:-(\d{1,16}))?$/.exec(name);
    if (found === null || found[2] !== incarnation) continue;
    if (found[1] === "journal" && found[4] === undefined) epochs.push(Number(found[3]));
    if (found[1] === "snapshot" && found[4] !== undefined)
      snapshots.push({ revision: Number(found[3]), epoch: Number(found[4]) });
  }
  epochs.sort((a, b) => a - b);
  snapshots.sort((a, b) => a.revision - b.revision);
  const newestEpoch = Math.max(0, epochs.at(-1) ?? 0, ...snapshots.map(({ epoch }) => epoch));
  return { incarnation, epochs, snapshots, newestEpoch, names };
}
