import type { Doing } from "@pulse-ts/durable/define-store";
import { takeEpoch } from "./epoch.ts";
import type { Epoch } from "./epoch.ts";
import { locksFolder, newToken } from "./layout.ts";
import type { RunFolder } from "./layout.ts";
import { takeLock } from "./lock.ts";
import type { Lock } from "./lock.ts";
import type { Parts } from "./parts.ts";

/** Makes this process the run's owner: first its lock, then the epoch that decides. @throws PULSE_BUSY, PULSE_STORE, … */
export async function own(
  parts: Parts,
  run: RunFolder,
  doing: Doing,
  signal?: AbortSignal,
): Promise<{ readonly epoch: Epoch; readonly lock: Lock }> {
  const token = newToken();
  const lock = await takeLock(parts.platform, locksFolder(parts.root), token, parts.staleMs);
  try {
    return { epoch: await takeEpoch(parts, { run, token, doing, signal }), lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
