import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import type { Captured } from "./traces.ts";

/** A store for one test, and all that rests in it. */
export interface RestingPlace extends AsyncDisposable {
  /** A store as another process would open it. */
  readonly open: () => Store;
  /** Everything that rests in the medium, as bytes. */
  readonly capture: (captured: Captured) => Promise<void>;
}

export const restingPlaces: Readonly<Record<string, () => Promise<RestingPlace>>> = {
  "memory store": inMemory,
  "file store": inFiles,
};

async function inMemory(): Promise<RestingPlace> {
  const store = memoryStore();
  return {
    open: () => ({ acquire: (runId, options) => store.acquire(runId, options), catalog: store.catalog }),
    async capture(captured) {
      for (const { runId } of (await store.catalog.list()).runs)
        captured.value("record", await store.catalog.read(runId));
    },
    async [Symbol.asyncDispose]() {
      await store.close?.();
    },
  };
}

async function inFiles(): Promise<RestingPlace> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-secrets-"));
  return {
    open: () => fileStore({ folder }),
    async capture(captured) {
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        captured.text("a file's name", entry.name);
        if (entry.isFile()) captured.bytes(`file ${entry.name}`, await readFile(join(entry.parentPath, entry.name)));
      }
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
