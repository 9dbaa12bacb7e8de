import { createHash } from "node:crypto";
import type { NodeEntry, RunRecord, Store, ValueRecord } from "@pulse-ts/durable";

/**
 * A store that damages every value as it is loaded: one bit of its bytes, or its end. `noticed` leaves the digests as they
 * were, so that the checks of the record see it; else they are made to fit, and the codec meets the damage.
 */
export function damagingStore(store: Store, damage: "bit" | "cut", digests: "noticed" | "made to fit"): Store {
  const damaged = (value: ValueRecord): ValueRecord => {
    if (value.state !== "ready" || !("bytes" in value)) return value;
    const bytes = damage === "cut" ? value.bytes.slice(0, -3) : value.bytes.slice();
    if (damage === "bit") bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const digest = digests === "noticed" ? value.digest : createHash("sha256").update(bytes).digest("hex");
    return { ...value, bytes, digest };
  };
  const damagedNode = (node: NodeEntry): NodeEntry => ({ ...node, outputs: node.outputs.map(damaged) });
  return {
    async acquire(runId, options) {
      const session = await store.acquire(runId, options);
      return {
        async load(call): Promise<RunRecord> {
          const record = await session.load(call);
          return { ...record, nodes: new Map([...record.nodes].map(([key, node]) => [key, damagedNode(node)])) };
        },
        save: (...save) => session.save(...save),
        close: () => session.close(),
      };
    },
  };
}
