import { isPulseError } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import type { CompiledMount } from "../compile.ts";
import type { CheckpointDriver, Covering } from "../run/checkpoint-driver.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import type { NodeContext } from "../run/node-context.ts";
import { invalid } from "../invalid.ts";
import { Confirmed } from "../run/slot.ts";
import type { SlotState } from "../run/slot.ts";
import { coverAbove, coverWithin } from "./above.ts";
import { admit } from "./admit.ts";
import { checkedAttempt, checkedChild } from "./answers.ts";
import type { CheckpointOptions, ChildRequest, ChildScope, HookCall, RestorePlan } from "./hooks.ts";
import { Latch } from "./latch.ts";
import { confirmFailure, exhaustedError, runNode } from "./node-commit.ts";
import { installPlan, planProblems } from "./restore.ts";
import { Starts } from "./starts.ts";

/** The bridge of one execution and its children: every place where the engine meets a hook. */
export class HookDriver implements CheckpointDriver {
  readonly scope: string;
  private readonly options: CheckpointOptions;
  private readonly plans = new WeakMap<ExecutionState, RestorePlan>();
  private readonly starts = new WeakMap<ExecutionState, Starts>();
  private readonly latch = new Latch((error) => this.root?.interrupt(error, true, { kind: "unreliable" }));
  private root: ExecutionState | undefined;

  constructor(options: CheckpointOptions) {
    this.options = options;
    this.scope = options.scope;
  }

  get streamHooks(): CheckpointOptions["hooks"]["streams"] {
    return this.options.hooks.streams;
  }

  get failure(): Latch["failure"] {
    return this.latch.failure;
  }

  ask<Result>(hook: string, by: Covering, call: (covered: HookCall) => Promise<Result>): Promise<Result> {
    const cover =
      "level" in by ? by.level : "above" in by ? coverAbove(by.above, by.path) : coverWithin(by.execution, by.path);
    return admit(this.latch, hook, cover, call);
  }

  restores(execution: ExecutionState, path: string, key: string): boolean {
    return this.plans.get(execution)?.streams?.some((stream) => stream.path === path && stream.key === key) === true;
  }

  runNode(level: NodeContext, allSkipped: boolean): void {
    // It never rejects: what a hook throws is latched in the tree.
    const start = (): void => void runNode(this.options.hooks, this.latch, level, allSkipped);
    (this.starts.get(level.execution) as Starts).push(start);
  }

  async openTry(level: NodeContext, place: number, limit: number): Promise<number> {
    // What the try before has sent stands, and its position is where this one goes on (STR-32).
    await level.execution.tree.streams?.settled(level);
    const attempt = await admit(this.latch, "openAttempt", level, async (call) =>
      checkedAttempt(
        await this.options.hooks.openAttempt({
          scope: level.execution.scope,
          nodeId: level.node.id,
          path: level.path,
          parent: level.attemptId,
          boundary: String(place),
          limit,
          get signal() {
            return call.signal;
          },
        }),
      ),
    );
    if (attempt.exhausted) throw exhaustedError(level.path, limit);
    level.attemptId = attempt.id;
    return attempt.index;
  }

  async failTry(level: NodeContext, error: unknown): Promise<void> {
    const { execution } = level;
    // After the stop no failure is confirmed: the attempt stays active (CKPT-34).
    if (execution.stop !== undefined) throw error;
    await confirmFailure(this.options.hooks, this.latch, execution, level, error);
  }

  async openChild(level: NodeContext, child: ExecutionState): Promise<void> {
    child.scope = level.attemptId;
    const opened = await this.askChild(level, child);
    child.fixedReaders = opened.inputs;
    const { nodes, streams = [] } = opened;
    this.plans.set(child, { nodes, streams });
  }

  private async askChild(level: NodeContext, child: ExecutionState): Promise<ChildScope> {
    let scopeFailure: unknown;
    const opened = await admit(this.latch, "openChild", level, async (call) => {
      try {
        const opened = checkedChild(await this.options.hooks.openChild(requestOf(level, child, call)));
        const problems = planProblems(child, opened);
        if (problems.length > 0) throw invalid(`what openChild restores at "${level.path}"`, problems);
        return opened;
      } catch (error) {
        // The one business failure that a hook may report: for exactly this scope, itself, unwrapped (CKPT-13).
        if (!isPulseError(error, "PULSE_CHECKPOINT_SCOPE_FAILED") || error.details.scope !== level.attemptId)
          throw error;
        scopeFailure = error;
        return { nodes: [] };
      }
    });
    if (scopeFailure !== undefined) throw scopeFailure;
    return opened;
  }

  convert(value: unknown, from: ExecutionState, fromSlot: number, to: ExecutionState, toSlot: number): unknown {
    const { convert } = this.options.hooks;
    const fromKey = from.compiled.keys[fromSlot] as AnyKey;
    const toKey = to.compiled.keys[toSlot] as AnyKey;
    // A stream is one under all its names: nothing of it is converted (STR-12).
    if (fromKey.stream !== undefined || !(value instanceof Confirmed) || convert === undefined) return value;
    if (fromKey.type === toKey.type) return value;
    return new Confirmed(convert.call(this.options.hooks, value.read, fromKey, toKey));
  }

  readFailed(cause: unknown): unknown {
    return this.latch.fail("read", cause);
  }

  plan(execution: ExecutionState, plan: RestorePlan): void {
    const problems = planProblems(execution, plan);
    if (problems.length > 0) throw invalid(`the restore plan of graph "${execution.compiled.graph.name}"`, problems);
    this.plans.set(execution, plan);
  }

  install(
    execution: ExecutionState,
    decide: (slot: number, state: SlotState, value: unknown) => void,
  ): readonly number[] {
    this.root ??= execution;
    this.starts.set(execution, new Starts());
    const plan = this.plans.get(execution);
    if (plan === undefined) return [];
    this.plan(execution, plan);
    return installPlan(execution, plan, decide);
  }

  stable(...[scope, nodeId, path, message]: Parameters<CheckpointDriver["stable"]>): string | undefined {
    const { idempotencyKey, runId } = this.options;
    if (idempotencyKey !== undefined) return idempotencyKey(scope, nodeId, message);
    const ofMessage = message === undefined ? "" : `/${message.sourceId}/${message.group}/${message.sequence}`;
    return runId === undefined ? undefined : `${runId}/${path}${ofMessage}`;
  }
}

function requestOf(level: NodeContext, child: ExecutionState, call: { readonly signal: AbortSignal }): ChildRequest {
  const { execution, node } = level;
  const mount = node.mount as CompiledMount;
  return {
    attempt: level.attemptId,
    parentScope: execution.scope,
    nodeId: node.id,
    graph: child.compiled.graph.name,
    path: level.path,
    bindings: mount.in.map(({ name, slot }) => ({ input: name, from: (execution.compiled.keys[slot] as AnyKey).name })),
    fixed: mount.fix.map(({ name, childSlot, value }) => ({
      input: name,
      key: child.compiled.keys[childSlot] as AnyKey,
      value,
    })),
    get signal() {
      return call.signal;
    },
  };
}
