import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { StoreSubject } from "@pulse-ts/store-testkit";
import { openSqliteStore } from "../open.ts";
import { sqliteFaultPoints } from "../testing.ts";

/**
 * One SQLite file, as the conformance kit sees it: a place is the file's path. It is in memory where the system has such a
 * folder: the kit proves nothing of the disk itself, and waiting for syncs would take nearly all of its time.
 */
export const subject: StoreSubject = {
  name: "sqlite-store",
  newPlace: async () => join(await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), "pulse-sqlite-")), "runs.db"),
  open: (file, at) => openSqliteStore({ file }, at === undefined ? {} : { at: (point) => void at(point) }),
  removePlace: async (file) => await rm(dirname(file), { recursive: true, force: true }),
  faultPoints: sqliteFaultPoints,
};

const memory = "/dev/shm";
