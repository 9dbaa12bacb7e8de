import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The value of one revision: the same each time it is asked for, and no other's. */
export const bigValue = (runId: string, revision: number, bytes: number): Uint8Array =>
  new Uint8Array(Buffer.alloc(bytes, `${runId} ${revision} `));

/** The names of all contents of a store, those on their way out too. */
export async function contentFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(folder, "contents"), { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) found.push(entry.name);
  }
  return found.sort();
}
