import type { FileHandle } from "node:fs/promises";
import { realPlatform } from "../platform.ts";
import type { Platform, Step } from "../platform.ts";

/** What happens at one change of the disk. */
export type Fault =
  /** Fails without doing anything. */
  | { readonly kind: "fail"; readonly code: string }
  /** Writes a part of the bytes, then fails. For other changes the same as `fail`. */
  | { readonly kind: "cut"; readonly code: string; readonly share: number }
  /** Does it, and then fails: as far as the caller knows. */
  | { readonly kind: "after"; readonly code: string };

/** Decides for each change, by its place and its number (from 0), whether it goes wrong. */
export type Plan = (step: Step, number: number) => Fault | undefined;

/** An error as the system throws it. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** The real file system, but for what the plan says. */
export function faultyPlatform(plan: Plan): Platform & { readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  const at = async <Result>(
    step: Step,
    action: () => Promise<Result>,
    cut?: (share: number) => Promise<void>,
  ): Promise<Result> => {
    const fault = plan(step, steps.length);
    steps.push(step);
    if (fault === undefined) return await action();
    if (fault.kind === "after") await action();
    if (fault.kind === "cut") await cut?.(fault.share);
    throw systemError(fault.code);
  };
  return {
    ...realPlatform,
    steps,
    async createFile(step, path) {
      let file: FileHandle | undefined;
      try {
        return await at(step, async () => (file = await realPlatform.createFile(step, path)));
      } catch (error) {
        // Created, and the caller was told otherwise: nobody else can close it.
        await file?.close();
        throw error;
      }
    },
    async write(step, file: FileHandle, bytes) {
      await at(
        step,
        async () => await realPlatform.write(step, file, bytes),
        async (share) => await realPlatform.write(step, file, bytes.subarray(0, Math.floor(bytes.length * share))),
      );
    },
    sync: async (step, file) => await at(step, async () => await realPlatform.sync(step, file)),
    syncFolder: async (step, path) => await at(step, async () => await realPlatform.syncFolder(step, path)),
    link: async (step, from, to) => await at(step, async () => await realPlatform.link(step, from, to)),
    rename: async (step, from, to) => await at(step, async () => await realPlatform.rename(step, from, to)),
    unlink: async (step, path) => await at(step, async () => await realPlatform.unlink(step, path)),
    makeFolder: async (step, path) => await at(step, async () => await realPlatform.makeFolder(step, path)),
    removeFolder: async (step, path) => await at(step, async () => await realPlatform.removeFolder(step, path)),
  };
}

/** The disk of a process that ends at the change of this number: nothing it tries from then on has any effect. */
export const endingAt = (
  number: number,
  first: "nothing" | "half" | "all",
): Platform & { readonly steps: readonly Step[] } =>
  faultyPlatform((_step, now) => {
    if (now < number) return undefined;
    if (now > number || first === "nothing") return { kind: "fail", code: "EIO" };
    return first === "half" ? { kind: "cut", code: "EIO", share: 0.5 } : { kind: "after", code: "EIO" };
  });
