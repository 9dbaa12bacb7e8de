import { runFolders } from "./catalog.ts";
import { openOwner } from "./epoch.ts";
import { contentsFolder, ownersPath } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";

/** Who may save yet to any run, by token. */
export async function openOwners(parts: Parts, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for (const run of await runFolders(parts)) {
    signal?.throwIfAborted();
    const token = await openOwner(parts, run);
    if (token !== undefined) open.add(token);
  }
  return open;
}

/**
 * Writes down whom the contents of this token wait for. It need not be synced: cut or lost it is as if it had never been
 * written, and the next collection begins their wait anew.
 */
export async function writeOwners({ platform, root }: Parts, token: string, open: ReadonlySet<string>): Promise<void> {
  const file = await platform.createFile("collect-owners-create", ownersPath(root, token));
  try {
    await platform.write("collect-owners-write", file, Buffer.from(`${JSON.stringify([...open])}\n`));
  } finally {
    await file.close();
  }
}

/** Whom the contents of each token wait for, as far as that was written down. */
export async function readAllOwners(parts: Parts): Promise<ReadonlyMap<string, readonly string[]>> {
  const { platform, root } = parts;
  const awaited = new Map<string, readonly string[]>();
  for (const name of (await platform.list(contentsFolder(root))) ?? []) {
    const token = /^owners-([0-9a-f]{32})$/.exec(name)?.[1];
    if (token === undefined) continue;
    const owners = readOwners((await platform.readSmall(ownersPath(root, token))) ?? "");
    if (owners === undefined) await forgetOwners(parts, token);
    else awaited.set(token, owners);
  }
  return awaited;
}

/** The tokens in a list of owners; `undefined` when it was cut. */
function readOwners(text: string): readonly string[] | undefined {
  return /^\["[0-9a-f]{32}"(?:,"[0-9a-f]{32}")*\]\n$/.test(text) ? (JSON.parse(text) as readonly string[]) : undefined;
}

export async function forgetOwners({ platform, root }: Parts, token: string): Promise<void> {
  try {
    await platform.unlink("collect-owners-remove", ownersPath(root, token));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
