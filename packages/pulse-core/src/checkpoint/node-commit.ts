import { PulseError } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import { isSkip } from "../run/is-skip.ts";
import type { NodeContext } from "../run/node-context.ts";
import { refuseLateSkip, startChain } from "../run/node-run.ts";
import { releasePlaces } from "../run/place.ts";
import { interruption, isInterruption } from "../run/signals.ts";
import { Confirmed, pending, ready, skippedState } from "../run/slot.ts";
import { WriteSet } from "../run/write-set.ts";
import { coverAbove, interruptFailure } from "./above.ts";
import { admit } from "./admit.ts";
import { checkedAttempt, checkedOutputs } from "./answers.ts";
import type { Attempt, CheckpointHooks, ConfirmedOutput, NodeResult, WrittenOutput } from "./hooks.ts";
import type { Latch } from "./latch.ts";
import type { StreamHooks } from "./stream-hooks.ts";

/** How a chain ended, before anything is confirmed. */
type Ended = { readonly reason: "completed" | "skipped" } | { readonly thrown: unknown };

/** Runs one node: attempt, chain, check, commit, publication (CKPT-1). Never rejects. */
export async function runNode(
  hooks: CheckpointHooks,
  latch: Latch,
  level: NodeContext,
  allSkipped: boolean,
): Promise<void> {
  const { execution } = level;
  try {
    // The execution may be stopped meanwhile: its end waits for this call as for any other.
    execution.enter();
    const attempt = await openRoot(hooks, latch, level).finally(() => execution.leave());
    if (level.aborted) throw interruption(level.path, level.reason);
    if (attempt.exhausted) {
      // It is confirmed failed already: nothing more to confirm (CKPT-21, CKPT-32).
      const error = exhaustedError(level.path, 1);
      execution.fail(level, error);
      execution.tree.streams?.endFailed(level, { error });
      return;
    }
    prepareLevel(level, attempt);
    const ended = await runToEnd(level, allSkipped);
    if (latch.failure !== undefined) endLatched(latch, level, ended);
    else if ("thrown" in ended) await failed(hooks, latch, level, ended.thrown);
    else await commitInTurn(hooks, latch, level, ended.reason);
  } catch (error) {
    // Not admitted, not started, or latched: nothing was decided; the attempt stays active (CKPT-14). Whatever else it may
    // be stops the run too: a node that is neither confirmed nor failed would leave it without an end.
    execution.finish(level, "canceled", { error: isInterruption(error) ? error : latch.fail("checkpoint", error) });
  } finally {
    releasePlaces(level);
  }
}

/** Nothing is decided after a reliable failure; a business failure that comes with it is kept beside it (CORE-11, CORE-43). */
function endLatched(latch: Latch, level: NodeContext, ended: Ended): void {
  const { execution } = level;
  if (!("thrown" in ended)) execution.finish(level, "canceled");
  else execution.fail(level, latch.made(ended.thrown) ? interruption(level.path, level.reason) : ended.thrown);
  execution.tree.streams?.endFailed(level, undefined);
}

function openRoot(hooks: CheckpointHooks, latch: Latch, level: NodeContext): Promise<Attempt> {
  const { scope } = level.execution;
  const { id: nodeId } = level.node;
  return admit(latch, "openAttempt", level, async (call) =>
    checkedAttempt(
      await hooks.openAttempt({
        scope,
        nodeId,
        path: level.path,
        parent: scope,
        boundary: "",
        limit: 1,
        get signal() {
          return call.signal;
        },
      }),
    ),
  );
}

function prepareLevel(level: NodeContext, attempt: Attempt): void {
  level.attemptId = attempt.id;
  level.inputs = attempt.inputs;
  level.writes = new WriteSet(undefined);
  const { slotOf } = level.execution.compiled;
  for (const output of attempt.values ?? []) {
    const slot = slotOf.get(output.name) as number;
    if (output.state === "ready") level.writes.writes.set(slot, { state: ready, value: new Confirmed(output.read) });
    else level.writes.writes.set(slot, { state: skippedState, value: undefined });
  }
}

async function runToEnd(level: NodeContext, allSkipped: boolean): Promise<Ended> {
  const { execution, node } = level;
  const replaced = execution.tree.overrides?.keysOf(execution.path, node, execution.compiled) !== undefined;
  if (allSkipped && !replaced) {
    // It runs nothing, but it waits no more either: a stop must not cancel it while its skip is being confirmed (CKPT-6).
    execution.markRunning(level, false);
    return { reason: "skipped" };
  }
  const { streams } = execution.tree;
  /** What the body left running is answered, and asks nothing more: it would come after the node's end (STR-4). */
  const answered = async (): Promise<void> => {
    level.close();
    const open = streams?.settled(level);
    if (open !== undefined) await open;
  };
  try {
    await startChain(level);
    if (streams !== undefined) await answered();
    // What its handlers wrote joins what it wrote, and a chain that has returned may have failed by its streams (STR-10, STR-19).
    return streams?.verdict(level) ?? { reason: "completed" };
  } catch (error) {
    if (streams !== undefined) await answered();
    const failed = streams?.verdict(level, { error });
    if (failed !== undefined) return failed;
    if (!isSkip(error)) return { thrown: error };
    return refuseLateSkip(level) ?? { reason: "skipped" };
  }
}

/** Commits one after the other what may leave the same group of a stream's readers (STR-44). */
async function commitInTurn(
  hooks: CheckpointHooks,
  latch: Latch,
  level: NodeContext,
  reason: "completed" | "skipped",
): Promise<void> {
  const turn = level.execution.tree.streams?.turnToLeave(level);
  const endTurn = turn && (await turn);
  try {
    await commit(hooks, latch, level, reason);
  } finally {
    endTurn?.();
  }
}

/** Fixes the verdict, checks the complete result, has it confirmed, and only then publishes it (CKPT-1, CKPT-6). */
async function commit(
  hooks: CheckpointHooks,
  latch: Latch,
  level: NodeContext,
  reason: "completed" | "skipped",
): Promise<void> {
  const { execution } = level;
  // The chain's own signal is aborted: nothing is committed, the attempt stays active (CKPT-15).
  if (level.aborted) throw interruption(level.path, level.reason);
  const result: NodeResult = {
    scope: execution.scope,
    nodeId: level.node.id,
    path: level.path,
    attempt: level.attemptId,
    reason,
    outputs: level.node.provides.map((slot) => outputOf(level, slot)),
    ...leaving(level),
  };
  level.close();
  // What an aspect left running in a mount's child is not confirmed under a mount that is.
  execution.leaveChild(level);
  let prepared: unknown;
  try {
    prepared = hooks.prepare?.(result);
  } catch (error) {
    // A result that cannot be confirmed is the node's own failure (CKPT-35).
    await failed(hooks, latch, level, error);
    return;
  }
  // Bodies alone hold places, not saves (CORE-18).
  releasePlaces(level);
  const confirmed = await admit(latch, "commit", level, async (call) =>
    checkedOutputs(
      level,
      await hooks.commit({
        ...result,
        prepared,
        get signal() {
          return call.signal;
        },
      }),
    ),
  );
  publish(level, confirmed);
  execution.finish(level, reason);
}

function leaving(level: NodeContext): Pick<NodeResult, "stops"> {
  const stops = level.execution.tree.streams?.leaving(level) ?? [];
  return stops.length === 0 ? {} : { stops };
}

function outputOf(level: NodeContext, slot: number): WrittenOutput {
  const key = level.execution.compiled.keys[slot] as AnyKey;
  const stream = level.execution.tree.streams?.refAt(level.execution, slot);
  if (stream !== undefined) return { key, state: "stream", stream };
  const write = level.writes?.find(slot);
  if (write === undefined || write.state !== ready) return { key, state: "skipped" };
  return write.value instanceof Confirmed
    ? { key, state: "ready", value: undefined, read: write.value.read }
    : { key, state: "ready", value: write.value };
}

/** Publishes what the hook gave back, not what was written (CKPT-36). */
function publish(level: NodeContext, outputs: readonly ConfirmedOutput[]): void {
  const { execution, node } = level;
  for (let at = 0; at < outputs.length; at++) {
    const slot = node.provides[at] as number;
    const output = outputs[at] as ConfirmedOutput;
    if (execution.slotState[slot] !== pending) continue;
    if (output.state === "ready") execution.decide(slot, ready, new Confirmed(output.read));
    else execution.decide(slot, skippedState, undefined);
  }
}

/** A chain failed: the real failure is confirmed, in the same step in which it stops its siblings (CKPT-34, CORE-45). */
async function failed(hooks: CheckpointHooks, latch: Latch, level: NodeContext, error: unknown): Promise<void> {
  const { execution } = level;
  const stopped = execution.stop !== undefined;
  // A failure that comes after the stop is not confirmed; so is the end of a chain that was interrupted.
  const wrote = execution.tree.streams?.hasOpened(level) === true;
  const confirming = stopped
    ? undefined
    : wrote
      ? finishStreams(hooks, latch, level, error)
      : confirmFailure(hooks, latch, execution, level, error);
  execution.enter();
  // Named as still running if the drain time ends before it is confirmed (CORE-30).
  execution.late.add(level);
  // Whether it is confirmed is then not known: that is no business failure (CKPT-17).
  if (confirming !== undefined) execution.onAbandoned = () => void latch.fail("failAttempt", unsettled(level.path));
  execution.fail(level, error);
  let confirmed: { readonly error: unknown } | undefined;
  try {
    await confirming;
    if (confirming !== undefined) confirmed = { error };
  } catch (thrown) {
    if (isInterruption(thrown)) interruptFailure(execution);
  } finally {
    execution.late.delete(level);
    if (confirming !== undefined) execution.onAbandoned = undefined;
    execution.tree.streams?.endFailed(level, confirmed);
    execution.leave();
  }
}

const unsettled = (path: string): Error =>
  new Error(`the failure of node "${path}" was not confirmed before drainTimeout was over`);

/** Confirms the failure of an attempt, covered by its execution's signals alone (CKPT-34). */
export function confirmFailure(
  hooks: CheckpointHooks,
  latch: Latch,
  execution: ExecutionState,
  level: NodeContext,
  error: unknown,
): Promise<void> {
  return admit(latch, "failAttempt", coverAbove(execution, level.path), (call) =>
    hooks.failAttempt(level.attemptId, {
      error,
      get signal() {
        return call.signal;
      },
    }),
  );
}

/** Confirms the failure of a node with the failed ends of its streams, covered as any failure is (STR-25, CKPT-34). */
function finishStreams(hooks: CheckpointHooks, latch: Latch, level: NodeContext, error: unknown): Promise<void> {
  const { execution, node, path, attemptId: attempt } = level;
  return admit(latch, "streams.finish", coverAbove(execution, path), (call) =>
    (hooks.streams as StreamHooks).finish({
      scope: execution.scope,
      nodeId: node.id,
      path,
      attempt,
      error,
      get signal() {
        return call.signal;
      },
    }),
  );
}

/** The business failure of a boundary that is used up; its text is not known after a resume (CKPT-32). */
export function exhaustedError(path: string, limit: number): PulseError<"PULSE_EXECUTION_FAILED"> {
  return new PulseError(
    "PULSE_EXECUTION_FAILED",
    `node "${path}" has used up its ${limit} ${limit === 1 ? "try" : "tries"}; the last one failed before this process began`,
    { details: { path, others: [], abandoned: [] } },
  );
}
