// The raw medium that durable figures are compared to: one file, append and fdatasync.
import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Milliseconds that one append of `bytes` bytes takes with its fdatasync, over `count` of them. */
export async function rawMs(folder, count, bytes) {
  const path = join(folder, "raw");
  const file = await open(path, "a");
  const line = Buffer.alloc(Math.max(1, Math.round(bytes)), "x");
  const begin = performance.now();
  for (let at = 0; at < count; at++) {
    await file.write(line);
    await file.datasync();
  }
  const ms = performance.now() - begin;
  await file.close();
  await rm(path);
  return ms / count;
}

/** The files below a folder. */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

export async function bytesBelow(folder) {
  let bytes = 0;
  for (const path of await filesBelow(folder)) bytes += (await stat(path)).size;
  return bytes;
}

/** Milliseconds that it takes to read each file below a folder once. */
export async function readOnceMs(folder) {
  const paths = await filesBelow(folder);
  const begin = performance.now();
  for (const path of paths) await readFile(path);
  return performance.now() - begin;
}
