import type { CompiledGraph, CompiledNode } from "../compile.ts";
import type { Problem } from "../errors.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import { nodeStates } from "../run/execution-state.ts";
import { Confirmed, ready, skippedState } from "../run/slot.ts";
import type { SlotState } from "../run/slot.ts";
import type { AnyKey } from "../key.ts";
import type { RestoredNode, RestorePlan } from "./hooks.ts";
import { checkStreams } from "./restore-streams.ts";

/** Checks a restore plan as a whole (CKPT-24): reasons, cover of provides, states, names, types, streams, closure. */
export function planProblems(execution: ExecutionState, plan: RestorePlan): readonly Problem[] {
  const { compiled } = execution;
  const problems: Problem[] = [];
  const bad = (path: string, message: string): void =>
    void problems.push({ code: "PULSE_PLAN_INVALID", path: `${compiled.graph.name}/${path}`, message });
  const restored = new Set<number>();
  for (const entry of plan.nodes) {
    const index = compiled.nodeOf.get(entry.nodeId);
    if (index === undefined) bad(entry.nodeId, "the plan restores a node that the graph does not have");
    else if (restored.has(index)) bad(entry.nodeId, "the plan restores this node twice");
    else {
      restored.add(index);
      checkNode(compiled, compiled.nodes[index] as CompiledNode, entry, (message) => bad(entry.nodeId, message));
    }
  }
  const isOpen = checkStreams(execution, plan, bad);
  for (const index of restored) {
    const node = compiled.nodes[index] as CompiledNode;
    // A mount's requires is wiring, not a gate (CKPT-26).
    if (node.mount !== undefined) continue;
    for (const slot of node.requires) {
      const provider = compiled.providerOf[slot] as number;
      const name = compiled.keys[slot]?.name ?? "";
      if (provider >= 0 && !restored.has(provider) && !isOpen(name))
        bad(node.id, `it needs key "${name}", whose provider "${compiled.nodes[provider]?.id}" is not restored`);
    }
  }
  const inputs = new Set(compiled.inputs.map((input) => input.name));
  for (const name of plan.inputs?.keys() ?? [])
    if (!inputs.has(name)) bad("", `the plan reads input "${name}", which the graph does not have`);
  return problems;
}

function checkNode(
  compiled: CompiledGraph,
  node: CompiledNode,
  entry: RestoredNode,
  bad: (message: string) => void,
): void {
  if (entry.reason !== "completed" && entry.reason !== "skipped")
    bad(`its reason is ${String(entry.reason)}; only completed and skipped nodes are restored`);
  const given = new Map(entry.outputs.map((output) => [output.name, output]));
  if (given.size !== entry.outputs.length) bad("one of its outputs is there twice");
  for (const slot of node.provides) {
    const key = compiled.keys[slot] as AnyKey;
    const found = key.stream === undefined ? "ready" : "stream";
    const output = given.get(key.name);
    given.delete(key.name);
    if (output === undefined) bad(`its output "${key.name}" is missing`);
    else if (output.state !== found && output.state !== "skipped")
      bad(`its output "${key.name}" is ${String(output.state)}; only ${found} and skipped are restored`);
    else if (output.state === "ready" && typeof output.read !== "function")
      bad(`its output "${key.name}" cannot be read`);
    else if (output.type !== undefined && output.type !== key.type)
      bad(`its output "${key.name}" is of another type than the key`);
    else if (entry.reason === "skipped" && output.state !== "skipped")
      bad(`it is skipped, but its output "${key.name}" is ${output.state}`);
  }
  for (const name of given.keys()) bad(`its output "${name}" is none of the node's keys`);
}

/** Installs a checked plan in an execution that starts; gives the indices of the restored nodes, in the graph's order. */
export function installPlan(
  execution: ExecutionState,
  plan: RestorePlan,
  decide: (slot: number, state: SlotState, value: unknown) => void,
): readonly number[] {
  const { compiled } = execution;
  for (const { name, slot } of compiled.inputs) {
    const read = plan.inputs?.get(name);
    if (read !== undefined && execution.slotState[slot] === ready) execution.slotValue[slot] = new Confirmed(read);
  }
  for (const { nodeId, reason } of plan.nodes)
    execution.nodeState[compiled.nodeOf.get(nodeId) as number] = nodeStates.indexOf(reason);
  const sources = execution.tree.streams?.restore(execution, plan.streams ?? []);
  const indices: number[] = [];
  for (const entry of plan.nodes) {
    const index = compiled.nodeOf.get(entry.nodeId) as number;
    indices.push(index);
    for (const output of entry.outputs) {
      const slot = compiled.slotOf.get(output.name) as number;
      if (output.state === "ready") decide(slot, ready, new Confirmed(output.read));
      else if (output.state === "stream") decide(slot, ready, sources?.get(output.sourceId));
      else decide(slot, skippedState, undefined);
    }
  }
  return indices.sort((left, right) => left - right);
}
