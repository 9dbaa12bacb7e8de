import { nodeStates } from "./execution-state.ts";
import type { ExecutionState } from "./execution-state.ts";
import { endOf } from "./stop.ts";
import type { StreamSnapshot } from "../streams/snapshot.ts";

/** A copy of every node's and key's state, without values (CORE-33). */
export interface Snapshot {
  readonly executionId: string;
  readonly graph: string;
  /** Empty at the root, else the mount's path. */
  readonly path: string;
  readonly state: "built" | "running" | "completed" | "failed" | "interrupted";
  readonly nodes: readonly NodeSnapshot[];
  readonly keys: readonly KeySnapshot[];
  /** The streams that nodes of this graph write, and at the root those that the host reads (STR-13). */
  readonly streams: readonly StreamSnapshot[];
  /** The running children of mounts. */
  readonly children: readonly Snapshot[];
}

export interface NodeSnapshot {
  readonly path: string;
  readonly state: "waiting" | "running" | "finished";
  /** How a finished node finished (CORE-12). */
  readonly reason?: "completed" | "skipped" | "failed" | "canceled";
}

export interface KeySnapshot {
  readonly name: string;
  readonly port: "input" | "output" | "both" | "none";
  readonly state: "pending" | "ready" | "skipped";
}

const keyStates = ["pending", "ready", "skipped"] as const;

export function snapshotOf(execution: ExecutionState): Snapshot {
  const { compiled } = execution;
  const isInput = new Set(compiled.inputs.map((input) => input.slot));
  const isOutput = new Set(compiled.outputs);
  return {
    executionId: execution.id,
    graph: compiled.graph.name,
    path: execution.path,
    state: execution.ended ? endOf(execution.stop) : execution.started ? "running" : "built",
    nodes: compiled.nodes.map((node) => {
      const state = nodeStates[execution.nodeState[node.index] as number] as (typeof nodeStates)[number];
      const path = execution.prefix + node.id;
      return state === "waiting" || state === "running" ? { path, state } : { path, state: "finished", reason: state };
    }),
    keys: compiled.keys.map(({ name }, slot) => ({
      name,
      port: isInput.has(slot) ? (isOutput.has(slot) ? "both" : "input") : isOutput.has(slot) ? "output" : "none",
      state: keyStates[execution.slotState[slot] as number] as (typeof keyStates)[number],
    })),
    streams: execution.tree.streams?.snapshot(execution) ?? [],
    children: [...execution.children.values()].map(snapshotOf),
  };
}
