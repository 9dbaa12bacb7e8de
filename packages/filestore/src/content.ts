import { hash } from "node:crypto";
import { join } from "node:path";
import { corrupt, isDigest, refusal, usage } from "@pulse-ts/durable/define-store";
import type { Content, Doing } from "@pulse-ts/durable/define-store";
import { contentPath, contentsFolder, contentShard, leavingName, newFolder, newToken, sortContent } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";
import { linkRefused } from "./root.ts";

/**
 * Puts contents where a record may name them (STORE-8): when it resolves, each is whole, is what its digest says,
 * survives a loss of power and counts as used just now, so that no collection takes it. Equal content is kept once.
 * @throws PULSE_STORE; PULSE_CORRUPT for one that had to be there and is missing
 */
export async function putContents(parts: Parts, doing: Doing, contents: readonly Content[]): Promise<void> {
  for (let from = 0; from < contents.length; from += putsMax) {
    const puts = contents.slice(from, from + putsMax).map(async (content) => await putContent(parts, doing, content));
    // All of them end before any error is told: the session may be closed after it.
    const failed = (await Promise.allSettled(puts)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
  // Also of one that was there: whoever put it may not have come to this yet.
  for (const shard of new Set(contents.map(({ digest }) => contentShard(parts.root, digest)))) {
    await parts.platform.syncFolder("content-folder-sync", shard);
  }
}

/** How many contents are written at once. */
const putsMax = 8;

async function putContent(parts: Parts, doing: Doing, content: Content): Promise<void> {
  await makeShard(parts, content.digest);
  for (let round = 0; round < roundsMax; round += 1) {
    const found = await useAgain(parts, content);
    if (found === "whole") return;
    if (found === "absent" && (await bringBack(parts, content.digest))) continue;
    if (content.bytes === undefined) throw lost(parts, doing, content.digest, found);
    if ((await publish(parts, doing, content, content.bytes, found)) === "published") return;
  }
  throw refusal(doing, `the content ${content.digest} was moved ${roundsMax} times while it was looked at`);
}

/** How often putting begins anew because a collection or another writer moved the content in the same moment. */
const roundsMax = 50;

/** One folder of 256, on disk with its name. */
async function makeShard(parts: Parts, digest: string): Promise<void> {
  const { platform, root } = parts;
  const shard = contentShard(root, digest);
  let known = syncedShards.get(parts);
  if (known === undefined) syncedShards.set(parts, (known = new Set()));
  if (known.has(shard) && platform.exists(shard)) return;
  await platform.makeFolder("content-shard-make", shard);
  await platform.syncFolder("content-folder-sync", contentsFolder(root));
  known.add(shard);
}

/** The shards of each store whose names are known to be on disk. */
const syncedShards = new WeakMap<Parts, Set<string>>();

/**
 * Marks a content that is there as used now, and only then looks at it: a collection that takes it out after the mark
 * sees the mark and puts it back, and one that took it out before leaves nothing here to be marked.
 */
async function useAgain(
  { platform, root }: Parts,
  { digest, size, bytes }: Content,
): Promise<"whole" | "absent" | "damaged"> {
  const path = contentPath(root, digest);
  try {
    await platform.touch("content-touch", path, new Date());
    const found = await platform.readAll(path);
    const whole = bytes === undefined ? found.length === size : Buffer.compare(found, bytes) === 0;
    return whole ? "whole" : "damaged";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "absent";
    throw error;
  }
}

/** Gives a content on its way out its name again. `false` when there is none. */
async function bringBack({ platform, root }: Parts, digest: string): Promise<boolean> {
  for (const from of await leaving({ platform, root }, digest)) {
    try {
      await platform.link("content-return", from, contentPath(root, digest));
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === "EEXIST") return true;
      if (code !== "ENOENT") throw error;
    }
  }
  return false;
}

/** Where a content lies that a collection took out, and has not removed. */
async function leaving(
  { platform, root }: Pick<Parts, "platform" | "root">,
  digest: string,
): Promise<readonly string[]> {
  const shard = contentShard(root, digest);
  return ((await platform.list(shard)) ?? []).flatMap((name) => {
    const { digest: found, token } = sortContent(name) ?? {};
    return found === digest && token !== undefined ? [join(shard, leavingName(digest, token))] : [];
  });
}

/** Staged, written, synced, read back, and only then given its name. */
async function publish(
  { platform, root }: Parts,
  doing: Doing,
  { digest }: Content,
  bytes: Uint8Array,
  found: "absent" | "damaged",
): Promise<"published" | "taken"> {
  const path = contentPath(root, digest);
  const staged = join(newFolder(root), newToken());
  try {
    const file = await platform.createFile("content-create", staged);
    try {
      await platform.write("content-write", file, bytes);
      await platform.sync("content-sync", file);
    } finally {
      await file.close();
    }
    if (Buffer.compare(await platform.readAll(staged), bytes) !== 0) {
      throw refusal(doing, `the file ${staged} does not hold what was written to it; check the disk, then resume`);
    }
    if (found === "damaged") {
      await platform.rename("content-replace", staged, path);
      return "published";
    }
    await platform.link("content-publish", staged, path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return "taken";
    throw linkRefused(doing, error);
  } finally {
    if (platform.exists(staged)) await platform.unlink("content-unstage", staged).catch(() => undefined);
  }
  return "published";
}

/**
 * Reads a content and checks it against its digest (STORE-10). Also one that a collection has just taken out.
 * @throws PULSE_CORRUPT naming the file when it is damaged or missing, PULSE_STORE
 */
export async function readContent(parts: Parts, doing: Doing, digest: string): Promise<Uint8Array> {
  if (!isDigest(digest))
    throw usage(doing.runId, "STORE-10", `${doing.what}: ${JSON.stringify(digest)} is no SHA-256 in hex`);
  for (let round = 0; round < roundsMax; round += 1) {
    const out = round === 0 ? [] : await leaving(parts, digest);
    for (const path of [contentPath(parts.root, digest), ...out]) {
      try {
        const bytes = await parts.platform.readAll(path);
        const found = hash("sha256", bytes);
        if (found === digest) return bytes;
        throw corrupt(doing.runId, path, `its ${bytes.length} bytes have the SHA-256 ${found}, which is not its name`);
      } catch (error) {
        if (systemCode(error) !== "ENOENT") throw error;
      }
    }
    // Nowhere, and nothing on its way: so it was not moved meanwhile either.
    if (round > 0 && out.length === 0) break;
  }
  throw lost(parts, doing, digest, "absent");
}

const lost = ({ root }: Parts, { runId }: Doing, digest: string, found: "absent" | "damaged"): unknown =>
  corrupt(
    runId,
    contentPath(root, digest),
    found === "absent" ? "the content is missing" : "the content is not as long as the record says",
  );
