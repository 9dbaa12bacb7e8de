import { join } from "node:path";
import { corrupt } from "@pulse-ts/durable/define-store";
import { linesOf } from "./line.ts";
import type { RunFolder } from "./layout.ts";
import { readHead } from "./journal.ts";
import { systemCode } from "./platform.ts";
import type { Platform } from "./platform.ts";

/**
 * Refuses a folder that has lost its mark and still holds what was saved: it is no run that was deleted, for of such a
 * one the mark goes last, and it must not pass for one (FILE-2). What a contender left there that came too late is a
 * journal with nothing but its first line, and what ends a deleted run is one that says so.
 * @throws PULSE_CORRUPT naming the mark
 */
export async function refuseUnmarked(platform: Platform, run: RunFolder, names: readonly string[]): Promise<void> {
  let saved: string | undefined;
  for (const name of names) {
    const found = /^(journal|snapshot)-([0-9a-f]{16})-(\d{1,16})(?:-\d{1,16})?$/.exec(name);
    if (found === null) continue;
    const [, kind, incarnation = "", epoch] = found;
    try {
      if (kind === "snapshot" || (await holdsSaves(platform, join(run.path, name)))) saved ??= incarnation;
      else if ((await readHead(platform, run, incarnation, Number(epoch)))?.deleted === true) return;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  if (saved === undefined) return;
  const found = "the empty file that marks the run is missing, and what was saved is there";
  throw corrupt(run.runId, join(run.path, `run-${saved}`), found, `make run-${saved} anew, as an empty file`);
}

/** Whether anything stands after the first line. */
async function holdsSaves(platform: Platform, path: string): Promise<boolean> {
  const file = await platform.openToRead(path);
  try {
    for await (const block of linesOf(file)) if (block.some(({ number }) => number > 1)) return true;
    return false;
  } finally {
    await file.close();
  }
}
