import { fileStore } from "@pulse-ts/filestore";
import type { StoreSubject } from "@pulse-ts/store-testkit";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A store module as its author writes it. */
export const subject: StoreSubject = {
  name: "files",
  newPlace: async () => await mkdtemp(join(tmpdir(), "pulse-consumer-store-")),
  open: (folder) => fileStore({ folder }),
  removePlace: async (folder) => await rm(folder, { recursive: true, force: true }),
};
