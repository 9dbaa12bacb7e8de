import type { ExecutionState } from "../run/execution-state.ts";
import { isStream, planOf } from "../streams/plan.ts";
import type { SourcePlan } from "../streams/plan.ts";
import type { RestorePlan } from "./hooks.ts";
import type { RestoredStream } from "./stream-hooks.ts";

type Report = (path: string, message: string) => void;

/** Whether a stream of this graph that an ordinary node needs is there, though its provider is not restored (CKPT-26). */
export type IsOpen = (name: string) => boolean;

/**
 * Checks the streams of a restore plan, and that the nodes' outputs fit them (CKPT-24). Gives what tells a stream that was
 * confirmed open: a reader's dependency is met by it, whether its writer has ended or not.
 */
export function checkStreams(execution: ExecutionState, { nodes, streams = [] }: RestorePlan, report: Report): IsOpen {
  const { compiled, path } = execution;
  if (compiled.streams === undefined) {
    if (streams.length > 0) report("", "the plan restores streams, and the graph has none");
    return () => false;
  }
  const plans = new Map(plansOf(execution).map((plan) => [idOf(plan.path, plan.key.name), plan]));
  const known = new Map<string, { readonly stream: RestoredStream; readonly plan: SourcePlan }>();
  const open = new Set<string>();
  for (const stream of streams) {
    const id = idOf(stream.path, stream.key);
    const bad = (message: string): void => report(stream.path, `stream "${stream.key}": ${message}`);
    const plan = plans.get(id);
    plans.delete(id);
    const names = plan?.names.filter((name) => name.path === path) ?? [];
    if (plan === undefined) bad("no node of the graph writes it, or the plan restores it twice");
    else if (names.length === 0) bad("it has no name in this graph");
    else if (known.has(stream.sourceId)) bad("its source is that of another stream of the plan");
    else {
      known.set(stream.sourceId, { stream, plan });
      for (const { key } of names) open.add(key);
      checkStream(stream, plan, bad);
      const difference = execution.tree.streams?.differs(stream);
      if (difference !== undefined) bad(difference);
    }
  }
  const referred = checkOutputs(execution, nodes, known, report);
  for (const { stream, plan } of known.values()) {
    const writes = plan.place.path === path;
    const restored = writes && nodes.some(({ nodeId }) => nodeId === plan.node.id);
    const bad = (message: string): void => report(stream.path, `stream "${stream.key}": ${message}`);
    if (restored && !referred.has(stream.sourceId)) bad("its writer is restored without it");
    if (writes && !restored && stream.end !== "open") bad(`it is ${stream.end}, and its writer is not restored`);
    if (!writes && !referred.has(stream.sourceId)) bad("neither its writer nor a restored mount of this graph has it");
  }
  return (name) => open.has(name) || isFromElsewhere(execution, name);
}

const idOf = (path: string, key: string): string => `${path} ${key}`;

function plansOf(execution: ExecutionState): readonly SourcePlan[] {
  let root = execution;
  while (root.parent !== undefined) root = root.parent.execution;
  return planOf(root.compiled.graph).sources;
}

/** One that a mount's child writes is restored with the scope of that child. */
function isFromElsewhere({ compiled }: ExecutionState, name: string): boolean {
  const slot = compiled.slotOf.get(name) as number;
  const provider = compiled.nodes[compiled.providerOf[slot] as number];
  const key = compiled.keys[slot];
  return key !== undefined && isStream(key) && provider?.mount !== undefined;
}

function checkStream(stream: RestoredStream, plan: SourcePlan, bad: (message: string) => void): void {
  const { sourceId, last, position, end, groups, messages } = stream;
  if (typeof sourceId !== "string" || sourceId === "") bad("its source has no id");
  if (!isCount(stream.generation)) bad(`its generation is ${String(stream.generation)}`);
  if (!isCount(last)) bad(`its last sequence is ${String(last)}`);
  if (end !== "open" && end !== "completed" && end !== "failed") bad(`its end is ${String(end)}`);
  if (position !== undefined && typeof position !== "function") bad("its position cannot be read");
  if (end === "failed" && messages.length > 0) bad("it has failed, and holds messages");
  if (!messages.every(({ read }) => typeof read === "function")) bad("one of its messages cannot be read");
  const sequences = messages.map(({ sequence }) => sequence);
  if (!isAscending(sequences, 0, last)) bad(`its messages are no ascending sequences from 1 to ${last}`);
  const there = new Set(sequences);
  const names = new Set(groups.map(({ name }) => name));
  if (names.size !== groups.length) bad("one of its groups is there twice");
  for (const { name, ackedThrough, pending, stopped } of groups) {
    if (!isCount(ackedThrough) || ackedThrough > last) bad(`group "${name}" has the frontier ${String(ackedThrough)}`);
    else if (!isAscending(pending, ackedThrough, last))
      bad(`what group "${name}" has not acknowledged does not ascend from its frontier ${ackedThrough} to ${last}`);
    else if (!stopped && (pending[0] ?? last + 1) !== ackedThrough + 1)
      bad(`group "${name}" has the frontier ${ackedThrough}, but not acknowledged ${pending[0] ?? "nothing"}`);
    const missing = pending.find((sequence) => !there.has(sequence));
    if (missing !== undefined) bad(`group "${name}" has not acknowledged ${missing}, which is none of its messages`);
  }
  if (end === "open")
    for (const { group } of plan.readers)
      if (!names.has(group)) bad(`group "${group}" of "${plan.path}" is not recorded, and would miss messages`);
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function isAscending(sequences: readonly number[], from: number, last: number): boolean {
  let before = from;
  for (const sequence of sequences) {
    if (!Number.isSafeInteger(sequence) || sequence <= before || sequence > last) return false;
    before = sequence;
  }
  return true;
}

/** What restored nodes have of streams; gives the ids of the sources that they name. */
function checkOutputs(
  { compiled, path }: ExecutionState,
  nodes: RestorePlan["nodes"],
  known: ReadonlyMap<string, { readonly stream: RestoredStream; readonly plan: SourcePlan }>,
  report: Report,
): ReadonlySet<string> {
  const referred = new Set<string>();
  for (const { nodeId, outputs } of nodes) {
    const node = compiled.nodes[compiled.nodeOf.get(nodeId) ?? -1];
    for (const output of outputs) {
      if (output.state !== "stream") continue;
      const bad = (message: string): void => report(nodeId, `its output "${output.name}" ${message}`);
      const source = known.get(output.sourceId);
      if (source === undefined) bad(`is stream "${output.sourceId}", which the plan does not restore`);
      else {
        referred.add(output.sourceId);
        const { stream, plan } = source;
        if (!plan.names.some((name) => name.path === path && name.key === output.name))
          bad(`is no name of stream "${stream.key}" of "${stream.path}"`);
        if (node?.mount === undefined && stream.end !== "completed")
          bad(`is ${stream.end}; a node that has ended has completed its streams (STR-51)`);
      }
    }
  }
  return referred;
}
