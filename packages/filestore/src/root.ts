import { dirname, join } from "node:path";
import { PulseError } from "@pulse-ts/core";
import { refusal } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import { contentsFolder, fileFormat, locksFolder, newFolder, newToken, rootMarkName, runsFolder } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";

/**
 * Makes the store's folder ready, once; afterwards one look at its mark. Whatever can be refused is refused before
 * anything is made: a newer layout, a network file system (FILE-7).
 * @throws PULSE_NEWER_FORMAT, PULSE_STORE
 */
export async function prepareRoot(parts: Parts, doing: Doing): Promise<void> {
  const { platform, root } = parts;
  if (synced.has(parts) && [join(root, rootMarkName), ...foldersIn(root)].every(platform.exists)) return;
  const existing = nearestExisting(parts);
  await refuseNetwork(parts, existing, doing);
  const made = await isRoot(parts, doing);
  // Also of a store that is there: a copy or a backup often leaves empty folders out.
  for (const folder of foldersIn(root)) await platform.makeFolder("root-make", folder);
  if (made) await sweepStaged(parts);
  else await publishMark(parts, doing);
  await platform.syncFolder("root-folder-sync", root);
  for (let below = root; below !== existing && dirname(below) !== below; below = dirname(below)) {
    await platform.syncFolder("root-folder-sync", dirname(below)).catch(ignoreUnreadable);
  }
  synced.add(parts);
}

/**
 * Removes what a process that ended left unpublished. Whoever still works on something that old (it was paused) finds
 * it missing and fails without harm: nothing here counts before it has been given its name.
 */
async function sweepStaged({ platform, root }: Parts): Promise<void> {
  for (const name of (await platform.list(newFolder(root))) ?? []) {
    const path = join(newFolder(root), name);
    const changedAt = await platform.changedAt(path);
    if (changedAt === undefined || changedAt > Date.now() - stagedMsMax) continue;
    // A file goes at once; a folder goes when what is in it has gone. What cannot go now goes another time.
    const inside = await platform.list(path).catch(() => undefined);
    for (const file of inside ?? []) await platform.unlink("root-sweep-file", join(path, file)).catch(() => undefined);
    const gone =
      inside === undefined
        ? platform.unlink("root-sweep-file", path)
        : platform.removeFolder("root-sweep-folder", path);
    await gone.catch(() => undefined);
  }
}

/** Milliseconds after which something unpublished counts as left behind. */
const stagedMsMax = 3_600_000;

/** The stores whose folder is known to be ready and on disk. */
const synced = new WeakSet<Parts>();

const foldersIn = (root: string): readonly string[] => [
  runsFolder(root),
  locksFolder(root),
  newFolder(root),
  contentsFolder(root),
];

/** A folder may be writable and not readable; then it cannot be opened to be synced, and the system does it in time. */
function ignoreUnreadable(error: unknown): void {
  const code = systemCode(error);
  if (code !== "EACCES" && code !== "EPERM") throw error;
}

/** The folder itself, or the nearest one above it that is there. */
function nearestExisting({ platform, root }: Parts): string {
  let existing = root;
  while (!platform.exists(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

/** Whether the folder is a store's. @throws PULSE_NEWER_FORMAT for one that a later version made */
export async function isRoot({ platform, root }: Parts, doing: Doing): Promise<boolean> {
  const text = await platform.readSmall(join(root, rootMarkName));
  if (text === undefined) return false;
  const format = Number(/^pulse-filestore\/(\d{1,9})\n/.exec(text)?.[1] ?? Number.NaN);
  if (format > fileFormat) throw newerFormat(doing.runId, doing.what, join(root, rootMarkName), format);
  if (format === fileFormat) return true;
  // A loss of power can leave the name without the text: nothing was saved here before it was synced.
  if (text.replaceAll("\0", "") === "") return false;
  const found = `the file ${rootMarkName} was not written by a store; choose another folder`;
  throw refusal({ ...doing, medium: join(root, rootMarkName) }, found);
}

/** A file of a format that this version does not read (STORE-9). */
export function newerFormat(
  runId: string,
  what: string,
  where: string,
  found: number,
): PulseError<"PULSE_NEWER_FORMAT"> {
  return new PulseError(
    "PULSE_NEWER_FORMAT",
    `${what}: ${where} has format ${found}, this version of @pulse-ts/filestore reads up to ${fileFormat}; use a newer one`,
    { details: { runId, next: "newer-package", found, supported: fileFormat } },
  );
}

/** Written whole and given its name by a link, as every epoch is: so a file system without links is found out here. */
async function publishMark({ platform, root }: Parts, doing: Doing): Promise<void> {
  const staged = join(newFolder(root), newToken());
  const mark = join(root, rootMarkName);
  const file = await platform.createFile("root-mark-create", staged);
  try {
    await platform.write("root-mark-write", file, Buffer.from(`pulse-filestore/${fileFormat}\n`));
    await platform.sync("root-mark-sync", file);
  } finally {
    await file.close();
  }
  try {
    await platform.link("root-mark-publish", staged, mark);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw linkRefused(doing, error);
    // There already: somebody else was faster, or what a loss of power left is replaced.
    if ((await platform.readSmall(mark)) === "") return await platform.rename("root-mark-replace", staged, mark);
  }
  await platform.unlink("root-mark-unstage", staged);
}

/** FILE-3 stands on hard links: where they are not there, nothing can be owned safely (FILE-7). */
export function linkRefused(doing: Doing, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || !noLinks.has(code)) return error;
  return refusal(doing, `this file system has no hard links (${code}); choose a folder on a local disk`, code, error);
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK"]);

async function refuseNetwork({ platform, root }: Parts, existing: string, doing: Doing): Promise<void> {
  if (/^\\\\(?![?.]\\)/.test(root)) throw onNetwork({ ...doing, medium: root }, "a network share");
  const type = await platform.fileSystemType(existing);
  const name = type === undefined ? undefined : networkFileSystems.get(type >>> 0);
  if (name !== undefined) throw onNetwork({ ...doing, medium: root }, name);
}

const onNetwork = (doing: Doing, name: string): PulseError =>
  refusal(
    doing,
    `the folder is on a network file system (${name}), where locks and links cannot be relied on; choose a folder on a local disk`,
  );

/** By the number that Linux gives each kind (linux/magic.h and their own sources). */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x564c, "NCP"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x7461636f, "OCFS2"],
  [0x01161970, "GFS2"],
  [0x19830326, "BeeGFS"],
]);
