import { join } from "node:path";
import { contentPath, contentsFolder, contentShard, leavingName, sortContent } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";

/** The names of all contents: those in their place by digest, and those on their way out. */
export interface Found {
  readonly inPlace: readonly string[];
  readonly leaving: readonly Leaving[];
}

export interface Leaving {
  readonly digest: string;
  readonly token: string;
  readonly path: string;
}

export async function contentsIn({ platform, root }: Parts): Promise<Found> {
  const inPlace: string[] = [];
  const leaving: Leaving[] = [];
  for (const shard of (await platform.list(contentsFolder(root))) ?? []) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const name of (await platform.list(join(contentsFolder(root), shard))) ?? []) {
      const { digest, token } = sortContent(name) ?? {};
      if (digest === undefined) continue;
      if (token === undefined) inPlace.push(digest);
      else leaving.push({ digest, token, path: join(contentsFolder(root), shard, name) });
    }
  }
  return { inPlace, leaving };
}

/** When each was used last, in ms since 1970. */
export async function agesOf(
  { platform, root }: Parts,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ages = new Map<string, number>();
  for (const digest of digests) {
    const changedAt = await platform.changedAt(contentPath(root, digest));
    if (changedAt !== undefined) ages.set(digest, changedAt);
  }
  return ages;
}

export interface Aged {
  readonly digest: string;
  readonly changedAt: number;
}

/** Gives a content the name of one on its way out, unless a save has marked it since it was looked at: then `false`. */
export async function takeOut(parts: Parts, { digest, changedAt }: Aged, token: string): Promise<boolean> {
  const from = contentPath(parts.root, digest);
  return await moveOut(parts, { from, digest, token, mayGo: (now) => now === changedAt });
}

interface Move {
  readonly from: string;
  readonly digest: string;
  readonly token: string;
  /** Looked at when nobody can mark it any more. */
  readonly mayGo: (changedAt: number) => boolean;
}

async function moveOut(parts: Parts, { from, digest, token, mayGo }: Move): Promise<boolean> {
  const { platform, root } = parts;
  const path = join(contentShard(root, digest), leavingName(digest, token));
  try {
    await platform.rename("collect-take-out", from, path);
  } catch (error) {
    // Another collection was faster.
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
  const changedAt = await platform.changedAt(path);
  if (changedAt === undefined || mayGo(changedAt)) return true;
  await putBack(parts, { digest, token, path });
  return false;
}

export interface Adoption {
  readonly token: string;
  readonly leaving: readonly Leaving[];
  /** The tokens whose owners were written down: these are no orphans. */
  readonly awaited: ReadonlyMap<string, unknown>;
  readonly isOld: (changedAt: number) => boolean;
}

/** Makes its own what a collection that was killed had taken out before it wrote down who was there; says how many. */
export async function adopt(parts: Parts, { token, leaving, awaited, isOld }: Adoption): Promise<number> {
  let adopted = 0;
  for (const { digest, path } of leaving.filter((one) => !awaited.has(one.token))) {
    if (await moveOut(parts, { from: path, digest, token, mayGo: isOld })) adopted += 1;
  }
  return adopted;
}

/** Its name is on disk again before the other one goes: so a loss of power in between leaves one of them. */
export async function putBack({ platform, root }: Parts, { digest, path }: Leaving): Promise<void> {
  try {
    await platform.link("collect-put-back", path, contentPath(root, digest));
  } catch (error) {
    const code = systemCode(error);
    // Put back or written anew by somebody else already.
    if (code !== "EEXIST" && code !== "ENOENT") throw error;
  }
  await platform.syncFolder("collect-folder-sync", contentShard(root, digest));
  await remove({ platform }, { path });
}

/** `false` when it was gone already. */
export async function remove({ platform }: Pick<Parts, "platform">, { path }: Pick<Leaving, "path">): Promise<boolean> {
  try {
    await platform.unlink("collect-remove", path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
