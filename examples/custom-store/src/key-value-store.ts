import type { RunRecord } from "@pulse-ts/durable";
import { busy, catalogByReading, corrupt, defineStore, describeHolder, judge } from "@pulse-ts/durable/define-store";
import { ownershipLost, ownHolder, recordOfText, recordText } from "@pulse-ts/durable/define-store";
import type { Holder, OwnedRun } from "@pulse-ts/durable/define-store";
import { explain } from "./key-value-client.ts";
import type { KeyValue } from "./key-value-client.ts";

/** The value of a run: a line of JSON, then the record's text, which is empty before the first save. */
interface Kept {
  readonly revision: number;
  /** The key that the owner keeps young as long as it lives, and the owner's process; empty and absent without an owner. */
  readonly lease: string;
  readonly holder?: Holder;
  readonly text: string;
  /** Of the value in the service; `undefined` when there is none. */
  readonly version: string | undefined;
}

/**
 * Runs in a key-value service: one value a run, written whole at each save. `address` is for messages. An owner that shows
 * no sign of life for `leaseMs` milliseconds (default 10,000) may be followed by another; one seen dead, at once.
 */
export function keyValueStore(service: KeyValue, address: string, leaseMs = 10_000) {
  const place = (runId: string) => ({ runId, where: `${runKey(runId)} in ${address}` });

  const find = async (runId: string, signal?: AbortSignal): Promise<Kept> => {
    const found = await service.get(runKey(runId), signal);
    if (found === undefined) return { version: undefined, text: "", revision: 0, lease: "" };
    const end = found.value.indexOf("\n");
    try {
      const head = JSON.parse(found.value.slice(0, end)) as Kept;
      return { ...head, version: found.version, text: found.value.slice(end + 1) };
    } catch {
      throw corrupt(runId, place(runId).where, "its first line is damaged");
    }
  };

  const recordIn = ({ text }: Kept, runId: string): RunRecord | undefined =>
    text === "" ? undefined : recordOfText(text, place(runId));

  const refuseOwned = async (what: string, runId: string, { lease, holder }: Kept): Promise<void> => {
    const sign = lease === "" ? undefined : await service.get(lease);
    // The age is by the service's own clock: that of another host may be wrong.
    if (sign === undefined || holder === undefined || sign.ageMs > Number(sign.value)) return;
    if ((await judge(holder, await ownHolder())) !== "dead") throw busy(what, runId, describeHolder(holder));
  };

  /** A key that is kept young until it is ended. */
  const takeLease = async (): Promise<{ readonly lease: string; end(): Promise<void> }> => {
    const lease = `lease/${crypto.randomUUID()}`;
    let version = await service.put(lease, String(leaseMs), undefined);
    const renew = async (): Promise<void> => {
      // Only over its own: a lease that was removed stays so. A sign that does not get through is left to the next one.
      version = (await service.put(lease, String(leaseMs), version).catch(() => version)) ?? version;
    };
    const timer = setInterval(() => void renew(), leaseMs / 4).unref();
    const end = async (): Promise<void> => {
      clearInterval(timer);
      await service.remove(lease);
    };
    return { lease, end };
  };

  return defineStore({
    medium: address,
    async own(runId): Promise<OwnedRun> {
      const found = await find(runId);
      await refuseOwned("acquiring", runId, found);
      const holder = await ownHolder();
      const { lease, end } = await takeLease();
      let { version, revision } = found;
      /** Over the version that this owner wrote last, and over no other. */
      const write = async (next: number, text: string, signal?: AbortSignal): Promise<boolean> => {
        const value = `${JSON.stringify({ revision: next, lease, holder })}\n${text}`;
        const written = await service.put(runKey(runId), value, version, signal);
        if (written !== undefined) [version, revision] = [written, next];
        return written !== undefined;
      };
      try {
        // From here on an earlier owner saves over a version that is gone: that is the fence (STORE-6).
        if (!(await write(revision, found.text))) throw busy("acquiring", runId, "another process, since just now,");
        if (found.lease !== "") await service.remove(found.lease);
      } catch (error) {
        await end().catch(() => {});
        throw error;
      }
      return {
        async load({ signal }) {
          const now = await find(runId, signal);
          if (now.lease !== lease) throw ownershipLost(runId, undefined, "loading");
          return recordIn(now, runId);
        },
        async save({ expectedRevision, next }, { signal }) {
          if (expectedRevision !== revision) return { conflict: revision };
          return (await write(next.header.revision, recordText(next), signal)) ? "saved" : "fenced";
        },
        async release() {
          await end();
          if (revision === 0) await service.remove(runKey(runId), version);
        },
      };
    },
    catalog: catalogByReading({
      async runIds({ prefix, after, limit }) {
        const keys = await service.keys({ prefix: runKey(prefix), after: runKey(after), limit });
        return keys.map((key) => key.slice(runKey("").length));
      },
      read: async (runId) => recordIn(await find(runId), runId),
      async delete(runId) {
        const found = await find(runId);
        await refuseOwned("deleting", runId, found);
        if (!(await service.remove(runKey(runId), found.version))) throw busy("deleting", runId, "another process");
      },
    }),
    explain,
  });
}

const runKey = (runId: string): string => `run/${runId}`;
