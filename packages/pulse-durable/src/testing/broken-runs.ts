import { graph, key, mount, node, PulseError, type } from "@pulse-ts/core";
import { durable } from "../durable.ts";
import type { NextStep } from "../errors.ts";
import { durableAt } from "../faults/durable-at.ts";
import type { memoryStore } from "../memory-store.ts";
import { headerKey } from "../record/entry-key.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { Header, RunRecord } from "../record/format.ts";
import type { Session, Store } from "../store.ts";
import { numberKey, start } from "./graphs.ts";

/** Runs, graphs and stores with which a call of durable goes wrong. */

export const made = numberKey("made");
export const call = { runId: "run", version: "1" };
export const inputs = { start: 1 };

export const add = (step = 1) =>
  graph("add", {
    inputs: [start],
    outputs: [made],
    nodes: [node("add", { requires: [start], provides: [made] }, ({ start }) => ({ made: start + step }))],
  });
export const renamed = graph("add", {
  inputs: [start],
  outputs: [made],
  nodes: [node("plus", { requires: [start], provides: [made] }, ({ start }) => ({ made: start + 1 }))],
});
export const failing = graph("add", {
  inputs: [start],
  outputs: [made],
  nodes: [node("add", { requires: [start], provides: [made] }, () => Promise.reject(new Error("no")))],
});
export const functions = key("fun", type<unknown>("fun"));
export const unencodable = graph("odd", { inputs: [functions], nodes: [] });
export const child = graph("child", { inputs: [start], nodes: [node("in", { requires: [start] }, () => {})] });
export const waits = graph("waits", {
  nodes: [
    node("wait", {}, (_values, { signal }) => {
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    }),
  ],
});
export const mounting = (fix: number) => graph("outer", { nodes: [mount("child", child, { fix: { start: fix } })] });

/** A store that changes what it loads. */
export function loading(store: Store, change: (record: RunRecord) => RunRecord): Store {
  return sessions(store, (session) => ({ load: async (options) => change(await session.load(options)) }));
}

export function sessions(store: Store, change: (session: Session) => Partial<Session>): Store {
  return {
    ...store,
    acquire: async (runId, options) => {
      const session = await store.acquire(runId, options);
      return { ...session, ...change(session) };
    },
  };
}

export function withHeader(record: RunRecord, fields: Partial<Header>): RunRecord {
  const builder = recordBuilder(record.header.runId);
  for (const change of entriesOf(record)) {
    const header = change.key === headerKey && change.kind === "put" ? { ...record.header, ...fields } : undefined;
    builder.apply(header === undefined ? change : { kind: "put", key: change.key, entry: header });
  }
  return builder.view(record.header.revision);
}

export type Memory = ReturnType<typeof memoryStore>;

/** A run that its process has begun and left: nothing but its first save. */
export async function halfRun(memory: Memory): Promise<void> {
  const dying = durableAt({ store: memory }, (point) => {
    if (point === "hook openAttempt before") throw new Error("dead");
  });
  await dying.run(add(), inputs, call).catch(() => {});
}

export const ended = async (memory: Memory): Promise<unknown> =>
  await durable({ store: memory }).run(add(), inputs, call);
export const failed = async (memory: Memory): Promise<unknown> =>
  await durable({ store: memory })
    .run(failing, inputs, call)
    .catch(() => {});

/** Fails with `error` at a fault point. */
export const at = (store: Store, point: string, error: unknown) =>
  durableAt({ store }, (reached) => {
    if (reached === point) throw error;
  });

export const storeSays = (code: "PULSE_STORE" | "PULSE_OWNERSHIP_LOST", next: NextStep): PulseError =>
  code === "PULSE_STORE"
    ? new PulseError(code, "no space", { details: { runId: "run", next, medium: "disk", systemCode: "ENOSPC" } })
    : new PulseError(code, "taken over", { details: { runId: "run", next, epoch: 2 } });
