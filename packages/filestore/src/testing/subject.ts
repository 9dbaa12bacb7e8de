import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreSubject } from "@pulse-ts/store-testkit";
import { fileStore } from "../open.ts";
import { fileFaultPoints, fileStoreAt } from "../testing.ts";

/**
 * Local files, as the conformance kit sees them: a place is a folder. It is in memory where the system has such a folder:
 * the kit proves nothing of the disk itself, and waiting for syncs would take nearly all of its time.
 */
export const subject: StoreSubject = {
  name: "filestore",
  newPlace: async () => await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), "pulse-filestore-")),
  open: (folder, at) => (at === undefined ? fileStore({ folder }) : fileStoreAt({ folder }, at)),
  removePlace: async (folder) => await rm(folder, { recursive: true, force: true }),
  faultPoints: fileFaultPoints,
};

const memory = "/dev/shm";
