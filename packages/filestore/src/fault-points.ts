import type { FileHandle } from "node:fs/promises";
import type { Platform } from "./platform.ts";
import { steps } from "./steps.ts";
import type { Operation, Step } from "./steps.ts";

/** One change of the disk that is about to happen, happening or done. */
export interface Change {
  readonly step: Step;
  /** The file or folder; of two names the new one. */
  readonly path: string;
  /** From 0, in the order in which the changes began. */
  readonly number: number;
}

/** Before a change, after it, or in a write when half of its bytes are written. */
export type Moment = "before" | "half" | "after";

/** Called at each moment, and waited for. What it throws, the caller of the change gets as if the disk had failed. */
export type AtMoment = (moment: Moment, change: Change) => void | Promise<void>;

/** Every change of the disk at each of its moments, by name: `journal-append half`. */
export const fileFaultPoints: readonly string[] = Object.entries(steps).flatMap(([step, operation]) =>
  momentsOf(operation).map((moment) => `${step} ${moment}`),
);

function momentsOf(operation: Operation): readonly Moment[] {
  return operation === "write" ? ["before", "half", "after"] : ["before", "after"];
}

/** Another file system that is stopped at each moment of each change. */
export function stoppedAt(inner: Platform, at: AtMoment): Platform {
  /** The paths of open files: a write tells only the file. */
  const paths = new WeakMap<FileHandle, string>();
  let number = 0;
  const begin = async (step: Step, path: string): Promise<Change> => {
    const change = { step, path, number };
    number += 1;
    await at("before", change);
    return change;
  };
  const around = async <Result>(step: Step, path: string, action: () => Promise<Result>): Promise<Result> => {
    const change = await begin(step, path);
    const result = await action();
    await at("after", change);
    return result;
  };
  const pathOf = (file: FileHandle): string => paths.get(file) ?? "";
  const changes: Pick<Platform, Operation> = {
    async createFile(step, path) {
      const change = await begin(step, path);
      const file = await inner.createFile(step, path);
      paths.set(file, path);
      try {
        await at("after", change);
      } catch (error) {
        // Created, and the caller was told otherwise: nobody else can close it.
        await file.close();
        throw error;
      }
      return file;
    },
    async write(step, file, bytes, place) {
      const change = await begin(step, pathOf(file));
      const half = Math.floor(bytes.length / 2);
      if (half > 0) await inner.write(step, file, bytes.subarray(0, half), place);
      await at("half", change);
      await inner.write(step, file, bytes.subarray(half), place === undefined ? undefined : place + half);
      await at("after", change);
    },
    truncate: async (step, file, length) =>
      await around(step, pathOf(file), async () => await inner.truncate(step, file, length)),
    sync: async (step, file) => await around(step, pathOf(file), async () => await inner.sync(step, file)),
    syncFolder: async (step, path) => await around(step, path, async () => await inner.syncFolder(step, path)),
    link: async (step, from, to) => await around(step, to, async () => await inner.link(step, from, to)),
    rename: async (step, from, to) => await around(step, to, async () => await inner.rename(step, from, to)),
    unlink: async (step, path) => await around(step, path, async () => await inner.unlink(step, path)),
    makeFolder: async (step, path) => await around(step, path, async () => await inner.makeFolder(step, path)),
    makeNewFolder: async (step, path) => await around(step, path, async () => await inner.makeNewFolder(step, path)),
    removeFolder: async (step, path) => await around(step, path, async () => await inner.removeFolder(step, path)),
    touch: async (step, path, time) => await around(step, path, async () => await inner.touch(step, path, time)),
  };
  return {
    ...inner,
    ...changes,
    async openToWrite(path) {
      const file = await inner.openToWrite(path);
      paths.set(file, path);
      return file;
    },
  };
}
