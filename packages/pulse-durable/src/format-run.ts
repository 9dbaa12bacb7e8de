import type { HandledInspection, MessageTryInspection } from "./inspect-handled.ts";
import type { OutputInspection } from "./inspect-output.ts";
import type { AttemptInspection, NodeInspection, RunInspection, ScopeInspection } from "./inspect.ts";
import type { StreamGroupInspection, StreamInspection } from "./inspect-streams.ts";
import { shownRunId } from "./run-id.ts";
import { refuseArgument } from "./runtime/check-options.ts";

/**
 * What `inspect` gives, as text for people: a line for the run, and a tree of its nodes with their states, tries and the
 * sizes of their outputs; in a mount its child graph, for each try that opened one (DUR-14). No values. The text is for
 * reading, not for parsing: it may change. Linear in the record.
 * @throws PULSE_INVALID for what is no inspection
 */
export function formatRun(inspection: RunInspection): string {
  checkInspection(inspection);
  const { runId, status, version, revision, resumes, failure, root } = inspection;
  const head = `run ${shown(runId)}: ${status}, version ${shown(version)}, revision ${revision}, ${timesResumed(resumes)}`;
  const lines = [head];
  if (failure !== undefined) lines.push(`failed: ${shown(failure)}`);
  lines.push(`graph ${shown(root.graph)}`);
  branch(root.nodes.map(nodeBranch), "", lines);
  return lines.join("\n");
}

function checkInspection(given: unknown): void {
  const { root } = (typeof given === "object" && given !== null ? given : {}) as Partial<RunInspection>;
  if (typeof root === "object" && root !== null) return;
  refuseArgument("formatting a run: the inspection", given, "what `await pulse.inspect(runId)` gives");
}

/** One line of the tree, and what hangs on it. */
interface Branch {
  readonly text: string;
  readonly branches: readonly Branch[];
}

function branch(branches: readonly Branch[], indent: string, lines: string[]): void {
  for (const [at, { text, branches: inner }] of branches.entries()) {
    const last = at === branches.length - 1;
    lines.push(`${indent}${last ? "└─" : "├─"} ${text}`);
    branch(inner, `${indent}${last ? "   " : "│  "}`, lines);
  }
}

function nodeBranch({ nodeId, state, outputs, attempts, streams = [], handled }: NodeInspection): Branch {
  const made = outputs.length === 0 ? "" : `: ${outputs.map(outputText).join(", ")}`;
  const inner = [
    ...streams.map(streamBranch),
    ...handledBranches(handled),
    ...attempts.flatMap((attempt) => attemptBranches(attempt)),
  ];
  return { text: `${shown(nodeId)} ${state}${made}`, branches: inner };
}

function streamBranch({ key, end, sent, generation, groups }: StreamInspection): Branch {
  const text = `stream ${shown(key)} ${end}: ${sent} sent, generation ${generation}`;
  return { text, branches: groups.map((group) => ({ text: groupText(group), branches: [] })) };
}

function groupText({ name, frontier, pending, stopped }: StreamGroupInspection): string {
  return `group ${shown(name)}: ${stopped ? "stopped" : `${pending} not acknowledged, all up to ${frontier} are`}`;
}

function handledBranches(handled: HandledInspection | undefined): readonly Branch[] {
  if (handled === undefined) return [];
  const { state, values, tries } = handled;
  const made = [
    ...(state === undefined ? [] : [`state (${sizeText(state)})`]),
    ...(values.length === 0 ? [] : [`contributed ${values.map(outputText).join(", ")}`]),
    ...tries.map(messageTryText),
  ];
  return made.map((text) => ({ text, branches: [] }));
}

function messageTryText({ stream, group, sequence, ...message }: MessageTryInspection): string {
  return `message ${sequence} of stream ${shown(stream)}, group ${shown(group)}: ${tryText(message)}`;
}

/** A node's own attempt says no more than the node; the tries of its retries, and what they opened, say more. */
function attemptBranches(attempt: AttemptInspection): readonly Branch[] {
  const inner = [...attempt.attempts.flatMap(attemptBranches), ...childBranches(attempt.child)];
  if (attempt.boundary === "") return inner;
  return [{ text: tryText(attempt), branches: inner }];
}

function childBranches(child: ScopeInspection | undefined): readonly Branch[] {
  if (child === undefined) return [];
  return [{ text: `graph ${shown(child.graph)}`, branches: child.nodes.map(nodeBranch) }];
}

/** A try that succeeded stays active in the record (REC-4): its node says that it is confirmed. */
function tryText({ index, limit, state }: Pick<AttemptInspection, "index" | "limit" | "state">): string {
  return `try ${index} of ${limit}${state === "failed" ? " failed" : ""}`;
}

function outputText(output: OutputInspection): string {
  return `${shown(output.name)} (${sizeText(output)})`;
}

function sizeText({ state, codec, bytes }: OutputInspection): string {
  return bytes === undefined ? state : `${bytes} ${bytes === 1 ? "byte" : "bytes"}, ${shown(codec)}`;
}

function timesResumed(resumes: number): string {
  if (resumes === 0) return "never resumed";
  return resumes === 1 ? "resumed once" : `resumed ${resumes} times`;
}

/** Names may hold anything: on a terminal they stay on their line. */
const shown = shownRunId;
