import { isPulseError } from "@pulse-ts/core";
import { checkCollectOptions, contentsNamed, contentWindowMsDefault } from "@pulse-ts/durable/define-store";
import type { CollectOptions } from "@pulse-ts/durable/define-store";
import { forgetOwners, openOwners, readAllOwners, writeOwners } from "./awaited-owners.ts";
import { runFolders } from "./catalog.ts";
import { storeError } from "./failure.ts";
import { contentPath, newToken } from "./layout.ts";
import { adopt, agesOf, contentsIn, putBack, remove, takeOut } from "./leaving.ts";
import type { Found } from "./leaving.ts";
import type { Parts } from "./parts.ts";
import { readRun, recordOf } from "./read.ts";
import { isRoot } from "./root.ts";

/** What a collection found and did. */
export interface CollectedContents {
  /** Contents that stay: some record names them, or they were used within the window. */
  readonly kept: number;
  /** Contents that no record names, and that go when every run that was open when this was found has been closed. */
  readonly waiting: number;
  readonly removed: number;
  readonly removedBytes: number;
  /** Runs whose records cannot be read. As long as there are any, what they name is not known, and nothing goes. */
  readonly unreadable: readonly string[];
}

/**
 * Removes the contents that no record names (STORE-8). Safe beside any number of owners, readers and collections, and
 * when it is killed anywhere; the next one goes on where it ended.
 *
 * Why nothing that a record names is ever lost: a save marks each content as used before it names it, and puts it back
 * or writes it anew if it is not in its place (`content.ts`). Here
 *
 * 1. a content that is old and unnamed is taken out: it gets another name, under which it is still read. If it was
 *    marked meanwhile it is put back at once;
 * 2. then it is written down who has a run open. Only they can have found it in its place before, and name it yet;
 * 3. when all of them have let go, or lost their runs, all records are read again. What is named now is put back, and
 *    only the rest is removed. Whoever came after the first step finds nothing in the content's place.
 */
export async function collectContents(parts: Parts, options: CollectOptions = {}): Promise<CollectedContents> {
  checkCollectOptions(options);
  const { windowMs = contentWindowMsDefault, signal } = options;
  const doing = { what: "collecting contents", runId: "", medium: parts.root };
  try {
    signal?.throwIfAborted();
    if (!(await isRoot(parts, doing))) return nothing;
    return await collect(parts, { windowMs, signal });
  } catch (error) {
    throw storeError(doing, error);
  }
}

const nothing: CollectedContents = { kept: 0, waiting: 0, removed: 0, removedBytes: 0, unreadable: [] };

interface Limits {
  readonly windowMs: number;
  readonly signal: AbortSignal | undefined;
}

async function collect(parts: Parts, { windowMs, signal }: Limits): Promise<CollectedContents> {
  const isOld = (changedAt: number): boolean => changedAt <= Date.now() - windowMs;
  // First the ages, then the names: what is saved in between is marked after its age was seen.
  const before = await contentsIn(parts);
  const ages = await agesOf(parts, before.inPlace);
  const { named, unreadable } = await namedContents(parts, signal);
  if (unreadable.length > 0) return { ...nothing, ...countsOf(before), unreadable };
  const token = newToken();
  let taken = 0;
  for (const [digest, changedAt] of ages) {
    signal?.throwIfAborted();
    if (named.has(digest) || !isOld(changedAt)) continue;
    if (await takeOut(parts, { digest, changedAt }, token)) taken += 1;
  }
  const awaited = await readAllOwners(parts);
  taken += await adopt(parts, { token, leaving: before.leaving, awaited, isOld });
  // Last of all: whoever is not in here has let go since the others were written down, or came after all was taken out.
  const open = await openOwners(parts, signal);
  const due = new Set([...awaited].flatMap(([group, owners]) => (owners.some((one) => open.has(one)) ? [] : [group])));
  if (open.size === 0) due.add(token);
  else if (taken > 0) await writeOwners(parts, token, open);
  const removed = await removeUnawaited(parts, due, signal);
  return { ...countsOf(await contentsIn(parts)), ...removed };
}

const countsOf = ({ inPlace, leaving }: Found): Pick<CollectedContents, "kept" | "waiting"> => ({
  kept: inPlace.length,
  waiting: leaving.length,
});

/** Every content that some record names. One record is held at a time. */
async function namedContents(
  parts: Parts,
  signal: AbortSignal | undefined,
): Promise<{ readonly named: ReadonlySet<string>; readonly unreadable: readonly string[] }> {
  const named = new Set<string>();
  const unreadable: string[] = [];
  for (const run of await runFolders(parts)) {
    signal?.throwIfAborted();
    try {
      const reading = run.problem === undefined ? await readRun(parts.platform, run) : undefined;
      if (run.problem !== undefined) unreadable.push(run.runId);
      if (reading === undefined || reading.deleted || reading.revision === 0) continue;
      for (const digest of contentsNamed(recordOf(run, reading))) named.add(digest);
    } catch (error) {
      if (!isPulseError(error, "PULSE_CORRUPT") && !isPulseError(error, "PULSE_NEWER_FORMAT")) throw error;
      unreadable.push(run.runId);
    }
  }
  return { named, unreadable };
}

/** Of what waits for nobody any more, puts back what is named by now, and removes the rest. */
async function removeUnawaited(
  parts: Parts,
  due: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<Pick<CollectedContents, "removed" | "removedBytes" | "unreadable">> {
  const { platform, root } = parts;
  const leaving = (await contentsIn(parts)).leaving.filter(({ token }) => due.has(token));
  const { named, unreadable } = leaving.length === 0 ? nobodyNamed : await namedContents(parts, signal);
  if (unreadable.length > 0) return { removed: 0, removedBytes: 0, unreadable };
  let removed = 0;
  let removedBytes = 0;
  for (const content of leaving) {
    signal?.throwIfAborted();
    if (named.has(content.digest)) {
      await putBack(parts, content);
      continue;
    }
    const bytes = await platform.sizeOf(content.path);
    // Saved anew meanwhile: then only a second name goes.
    const again = platform.exists(contentPath(root, content.digest));
    if (!(await remove(parts, content)) || again) continue;
    removed += 1;
    removedBytes += bytes ?? 0;
  }
  for (const token of due) await forgetOwners(parts, token);
  return { removed, removedBytes, unreadable: [] };
}

const nobodyNamed = { named: new Set<string>(), unreadable: [] };
