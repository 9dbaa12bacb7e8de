import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { ownHolder } from "@pulse-ts/durable/define-store";
import type { Holder, ProcessProbe } from "@pulse-ts/durable/define-store";
import type { Parts } from "../parts.ts";
import type { History } from "./records.ts";

/** A folder for one test, removed after it. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
}

/**
 * `fast`: in memory where the system has such a folder, for tests that go through hundreds of stores and prove nothing of
 * the disk itself: waiting for syncs would take nearly all of their time.
 */
export async function openPlace(speed: "disk" | "fast" = "disk"): Promise<Place> {
  const folder = await mkdtemp(join(speed === "fast" && existsSync(memory) ? memory : tmpdir(), "pulse-filestore-"));
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const memory = "/dev/shm";

/** The only file of the run's folder whose name begins so. */
export async function onlyFile(folder: string, runName: string, prefix: string): Promise<string> {
  const names = (await readdir(join(folder, "runs", runName))).filter((name) => name.startsWith(prefix));
  if (names.length !== 1) throw new Error(`${names.length} files begin with ${prefix}: ${names.join(", ")}`);
  return join(folder, "runs", runName, names[0] ?? "");
}

/** Every file under a folder with its bytes, sorted by path: two are equal when nothing on disk has changed. */
export async function everythingIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    found.push([path, entry.isFile() ? (await readFile(path)).toString("base64") : "folder"]);
  }
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The session's record; nothing where there is none yet. */
export async function loadOrNothing(session: Session) {
  try {
    return await session.load();
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Saves the history's steps from the session's revision up to this one. */
export async function saveUpTo(session: Session, history: History, from: number, to: number): Promise<void> {
  for (let revision = from + 1; revision <= to; revision += 1) {
    await session.save(history.at(revision), revision - 1, history.changesTo(revision));
  }
}

/** Processes that only a test knows: one store acts as each, and `kill` makes the others see it dead. */
export interface Processes {
  /** The parts of a store that acts as another process of this host. */
  parts(pid: number): Pick<Parts, "holder" | "probe" | "foldEarly">;
  /** The parts of a store that acts as a process nobody here can judge. */
  strangerParts(pid: number): Pick<Parts, "holder" | "probe" | "foldEarly">;
  kill(pid: number): void;
}

export function fakeProcesses(): Processes {
  const dead = new Set<number>();
  const probe: ProcessProbe = {
    started: async (pid) => (dead.has(pid) ? "gone" : { at: `start of ${pid}` }),
  };
  const holderOf = async (pid: number, fields: Partial<Holder>): Promise<Holder> => ({
    ...(await ownHolder()),
    pid,
    started: `start of ${pid}`,
    instance: `instance of ${pid}`,
    ...fields,
  });
  return {
    parts: (pid) => ({ foldEarly: true, probe, holder: async () => await holderOf(pid, {}) }),
    strangerParts: (pid) => ({
      foldEarly: true,
      probe,
      holder: async () => await holderOf(pid, { namespace: `namespace of ${pid}` }),
    }),
    kill: (pid) => dead.add(pid),
  };
}
