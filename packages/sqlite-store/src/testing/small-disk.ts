import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether this system lets a test have a file system of its own. */
export const mounts = mayMount();

function mayMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "pulse-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** A file system with these options, of its own. */
export interface Disk extends AsyncDisposable {
  readonly folder: string;
  remount(options: string): void;
}

export async function openDisk(options: string): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  return {
    folder,
    remount: (changed) => void execFileSync("mount", ["-o", `remount,${changed}`, folder]),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
