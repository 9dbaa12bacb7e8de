import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where one run is written; what it leaves there is gone afterwards, or harms no other run. */
export interface CrashPlace extends AsyncDisposable {
  /** Given to the store of each process. */
  readonly place: string;
  readonly runId: string;
}

export type OpenCrashPlace = () => Promise<CrashPlace>;

/** A folder of its own. */
export const folderPlace: OpenCrashPlace = async () => {
  const place = await mkdtemp(join(tmpdir(), "pulse-crash-"));
  return { place, runId: "crash", [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }) };
};
