import { hash, randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunRecord, Store } from "@pulse-ts/durable";
import {
  busy,
  defineStore,
  judge,
  ownHolder,
  readHolder,
  recordOfText,
  recordText,
} from "@pulse-ts/durable/define-store";
import type { OwnedRun } from "@pulse-ts/durable/define-store";

/** Where a save or an acquire can be cut off. */
export const slotFaultPoints = ["stage after", "slot before", "slot after", "half after"] as const;

/** The ways in which the store can be made wrong. */
export type SlotMistake =
  | "accepts a stale owner"
  | "writes a save in two parts"
  | "acknowledges before it writes"
  | "leaves the lock of the dead"
  | "looks before it takes"
  | "lets a stale owner release";

export interface SlotOptions {
  readonly folder: string;
  readonly at?: ((point: string) => void | Promise<void>) | undefined;
  /** Milliseconds after which an owner that has written nothing may be overtaken, also a living one. Default: never. */
  readonly leaseMs?: number;
  readonly mistake?: SlotMistake;
}

/** One slot of a run's folder: whose turn it is, or a record. */
type Slot =
  | { readonly kind: "owner"; readonly holder: unknown }
  | { readonly kind: "released" }
  | { readonly kind: "record"; readonly text: string };

/**
 * A small store for several processes: a run is a folder of numbered slots, each made by a link that only one can make.
 * An acquire takes a slot as well, so that an owner that was overtaken finds its next slot taken: that is the fence.
 */
export function slotStore({ folder, at = () => {}, leaseMs, mistake }: SlotOptions): Store {
  return defineStore({
    medium: folder,
    async own(runId): Promise<OwnedRun> {
      const run = join(folder, hash("sha256", runId));
      await mkdir(run, { recursive: true });
      let last = await lastSlot(run);
      await refuseOwned(runId, run, last);
      if (mistake === "looks before it takes") await new Promise((resolve) => setTimeout(resolve, 50));
      const take = async (slot: Slot): Promise<boolean> => {
        if (!(await put(run, last + 1, slot))) return false;
        last += 1;
        return true;
      };
      if (!(await take({ kind: "owner", holder: await ownHolder() })))
        throw busy("acquiring", runId, "another process");
      let revision = (await recordIn(runId, run))?.header.revision ?? 0;
      let late: Promise<unknown> = Promise.resolve();
      const write = async (next: RunRecord): Promise<"saved" | "fenced"> => {
        if (mistake === "writes a save in two parts") {
          const half = { ...next, nodes: new Map([...next.nodes].slice(0, next.nodes.size >> 1)) };
          await take({ kind: "record", text: recordText(half) });
          await at("half after");
        }
        return (await take({ kind: "record", text: recordText(next) })) ? "saved" : "fenced";
      };
      return {
        load: async () => await recordIn(runId, run),
        async save({ expectedRevision, next }) {
          if (revision !== expectedRevision) return { conflict: revision };
          if (mistake === "acknowledges before it writes") late = late.then(async () => await write(next));
          else if ((await write(next)) === "fenced") return "fenced";
          revision += 1;
          return "saved";
        },
        async release() {
          await late;
          if (mistake === "lets a stale owner release") last = await lastSlot(run);
          await take({ kind: "released" });
        },
      };
    },
  });

  async function refuseOwned(runId: string, run: string, last: number): Promise<void> {
    const owner = await backwards(run, ({ kind }) => kind !== "record");
    if (owner?.kind !== "owner") return;
    const holder = readHolder(owner.holder);
    const verdict = holder === undefined ? "unknown" : await judge(holder, await ownHolder());
    if (verdict === "dead" && mistake !== "leaves the lock of the dead") return;
    // With no slot at first the owner came just now.
    const isNew = leaseMs === undefined || last === 0;
    if (isNew || Date.now() - (await stat(join(run, nameOf(last)))).mtimeMs < leaseMs)
      throw busy("acquiring", runId, "another process");
  }

  /** Makes a slot, unless it is there: `false`. */
  async function put(run: string, number: number, slot: Slot): Promise<boolean> {
    const staged = join(folder, `staged ${randomUUID()}`);
    await writeFile(staged, JSON.stringify(slot));
    await at("stage after");
    await at("slot before");
    const isMade = await made(staged, run, number);
    await unlink(staged);
    await at("slot after");
    return isMade;
  }

  async function made(staged: string, run: string, number: number): Promise<boolean> {
    try {
      await link(staged, join(run, nameOf(number)));
      return true;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "EEXIST") throw error;
      if (mistake === "looks before it takes") return true;
      if (mistake !== "accepts a stale owner") return false;
      return await made(staged, run, number + 1);
    }
  }
}

const nameOf = (number: number): string => String(number).padStart(9, "0");

async function lastSlot(run: string): Promise<number> {
  return Math.max(0, ...(await readdir(run)).map(Number));
}

/** The last slot of this kind. */
async function backwards(run: string, isWanted: (slot: Slot) => boolean): Promise<Slot | undefined> {
  for (let number = await lastSlot(run); number > 0; number -= 1) {
    // Written by this module.
    const slot = JSON.parse(await readFile(join(run, nameOf(number)), "utf8")) as Slot;
    if (isWanted(slot)) return slot;
  }
  return undefined;
}

async function recordIn(runId: string, run: string): Promise<RunRecord | undefined> {
  const slot = await backwards(run, ({ kind }) => kind === "record");
  return slot?.kind === "record" ? recordOfText(slot.text, { runId, where: "a slot" }) : undefined;
}
