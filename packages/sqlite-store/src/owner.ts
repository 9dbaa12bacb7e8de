import { randomBytes } from "node:crypto";
import { busy, describeHolder, judge, ownHolder, readHolder } from "@pulse-ts/durable/define-store";
import type { Holder } from "@pulse-ts/durable/define-store";
import type { Batch } from "./batch.ts";
import { whenFree } from "./busy.ts";
import type { Connection, Open } from "./connection.ts";
import { atStep } from "./fault-points.ts";
import type { Parts } from "./parts.ts";
import { sortKey } from "./run-order.ts";

/** Who owns which run: a row of `owner`, judged by its holder as FILE-5 says. */
export interface OwnerRow {
  readonly epoch: number;
  readonly holder: string;
  readonly asked: number | null;
}

/** What a store has to work with. */
export interface Medium {
  readonly parts: Parts;
  readonly connection: Connection;
  readonly batch: Batch;
}

/** This copy of the package: it alone knows which of its own epochs are held. */
const instance = randomBytes(8).toString("hex");

/** This process, as a holder of runs. */
export const ownProcess = async (): Promise<Holder> => ({ ...(await ownHolder()), instance });

/** The epochs that sessions of this copy of the package hold, with the file that they are of. */
const held = new Set<string>();
const heldName = ({ identity: { device, file } }: Open, epoch: number): string => `${device}:${file}:${epoch}`;

/** How often taking begins anew because somebody took or left the run in the same moment. */
const roundsMax = 50;

/**
 * Becomes the run's next owner, or gives up at once: its row can be there only once.
 * @throws PULSE_BUSY when somebody owns the run; what the database throws
 */
export async function takeRun(medium: Medium, runId: string, signal: AbortSignal | undefined): Promise<number> {
  const { parts } = medium;
  const open = await medium.connection.toWrite();
  const self = await parts.holder();
  for (let round = 0; round < roundsMax; round += 1) {
    signal?.throwIfAborted();
    const found = await ownerOf(medium, open, runId);
    if (found !== undefined) await refuseOwned(medium, open, "acquiring", runId, found);
    const epoch = await takeNow(medium, runId, self, found?.epoch);
    if (epoch !== undefined) return epoch;
  }
  throw busy("acquiring", runId, "somebody who was faster");
}

/** Puts its row in the place of the owner that is gone. `undefined` when another one is there by now. */
async function takeNow(
  { parts, batch }: Medium,
  runId: string,
  self: Holder,
  gone: number | undefined,
): Promise<number | undefined> {
  let name: string | undefined;
  const write = (open: Open): number | undefined => {
    const { sqlite } = open;
    const taken = atStep(parts.at, "owner-take", () => {
      if (gone !== undefined) sqlite.run("DELETE FROM owner WHERE epoch = ?", gone);
      return sqlite.get(
        "INSERT INTO owner (sort, holder) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING epoch",
        sortKey(runId),
        JSON.stringify(self),
      ) as { readonly epoch: number } | undefined;
    });
    if (taken === undefined) return undefined;
    // Before the transaction ends: from then on others of this process see the row.
    name = heldName(open, taken.epoch);
    held.add(name);
    return taken.epoch;
  };
  try {
    return await batch.add({ durable: false, write });
  } catch (error) {
    if (name !== undefined) held.delete(name);
    throw error;
  }
}

/** The owner's row of a run, if there is one. */
export async function ownerOf({ parts }: Medium, { sqlite }: Open, runId: string): Promise<OwnerRow | undefined> {
  return await whenFree(
    parts.busyMs,
    () => sqlite.get("SELECT epoch, holder, asked FROM owner WHERE sort = ?", sortKey(runId)) as OwnerRow | undefined,
  );
}

/**
 * Returns when this owner is gone for good, or may be taken to be.
 * @throws PULSE_BUSY when it is there, or might be
 */
export async function refuseOwned(
  medium: Medium,
  open: Open,
  what: string,
  runId: string,
  owner: OwnerRow,
): Promise<void> {
  const { parts, batch } = medium;
  const verdict = await judgeOwner(parts, open, owner);
  if (verdict === "dead" || verdict === "silent") return;
  if (verdict === "asked") {
    await batch.add({
      durable: false,
      write: ({ sqlite }) =>
        atStep(parts.at, "owner-ask", () =>
          sqlite.run("UPDATE owner SET asked = ? WHERE epoch = ? AND asked IS NULL", parts.now(), owner.epoch),
        ),
    });
  }
  const holder = holderIn(owner);
  throw busy(
    what,
    runId,
    holder === undefined ? `an unreadable holder (epoch ${owner.epoch})` : describeHolder(holder),
  );
}

/**
 * `dead`: it can never write again (FILE-5). `silent`: it cannot be judged, and has given no sign of life since it was asked
 * for one. `asked`: it cannot be judged, and has to be asked or be given time to answer.
 */
export async function judgeOwner(
  parts: Parts,
  open: Open,
  owner: OwnerRow,
): Promise<"dead" | "silent" | "there" | "asked"> {
  const self = await parts.holder();
  const holder = holderIn(owner);
  if (holder?.instance === self.instance) return held.has(heldName(open, owner.epoch)) ? "there" : "dead";
  const verdict = holder === undefined ? "unknown" : await judge(holder, self, parts.probe);
  if (verdict !== "unknown") return verdict === "dead" ? "dead" : "there";
  return owner.asked !== null && parts.now() - owner.asked >= parts.staleMs ? "silent" : "asked";
}

function holderIn({ holder }: OwnerRow): Holder | undefined {
  try {
    return readHolder(JSON.parse(holder));
  } catch {
    return undefined;
  }
}

/** Gives the sign of life that somebody asked for, for every run of these. */
export async function answer({ parts, connection, batch }: Medium, epochs: ReadonlySet<number>): Promise<void> {
  const open = await connection.ifOpen();
  const asked =
    (open?.sqlite.all("SELECT epoch FROM owner WHERE asked IS NOT NULL") as
      | readonly { readonly epoch: number }[]
      | undefined) ?? [];
  const own = asked.filter(({ epoch }) => epochs.has(epoch));
  if (own.length === 0) return;
  await batch.add({
    durable: false,
    write: ({ sqlite }) => {
      atStep(parts.at, "owner-answer", () => {
        for (const { epoch } of own) sqlite.run("UPDATE owner SET asked = NULL WHERE epoch = ?", epoch);
      });
    },
  });
}

/**
 * Lets the run go. From then on nobody in this process counts as its owner, even if the row cannot be removed: that is
 * tried again with whatever is written next, and others see it go with the process.
 */
export async function releaseRun({ parts, connection, batch }: Medium, epoch: number): Promise<void> {
  const open = await connection.ifOpen();
  if (open === undefined) return;
  held.delete(heldName(open, epoch));
  const release = {
    durable: false,
    write: ({ sqlite }: Open) =>
      atStep(parts.at, "owner-release", () => sqlite.run("DELETE FROM owner WHERE epoch = ?", epoch)),
  };
  try {
    await batch.add(release);
  } catch (error) {
    batch.owe(release);
    throw error;
  }
}
