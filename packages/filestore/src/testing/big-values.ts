import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@pulse-ts/durable";

/** The value of one revision: the same each time it is asked for, and no other's. */
export const bigValue = (runId: string, revision: number, bytes: number): Uint8Array =>
  new Uint8Array(Buffer.alloc(bytes, `${runId} ${revision} `));

/** The names of all contents of a store, those on their way out too. */
export async function contentFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(folder, "contents"), { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && !entry.name.startsWith("owners-")) found.push(entry.name);
  }
  return found.sort();
}

/** Every content that any record names can be read and is what its name says. */
export async function expectNamedContents({ catalog }: Store): Promise<void> {
  if (catalog?.content === undefined) throw new Error("the store has no contents");
  for (const { runId } of (await catalog.list()).runs) {
    for (const { outputs } of (await catalog.read(runId)).nodes.values()) {
      for (const value of outputs) {
        if (!("content" in value)) continue;
        const found = await catalog.content(runId, value.content.digest);
        if (found.length !== value.content.size) throw new Error(`content ${value.content.digest} is too short`);
      }
    }
  }
}
