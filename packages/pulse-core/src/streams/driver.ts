import { Confirming, refOf } from "./confirming.ts";
import { checkExecution } from "../check/stream-start.ts";
import type { Problem } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import type { NodeReason } from "../run/events.ts";
import type { GroupRef, RestoredStream, StreamRef } from "../checkpoint/stream-hooks.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import type { ReceivedInput } from "../run/inputs.ts";
import { isSkip } from "../run/is-skip.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { ExecutionOptions } from "../run/options.ts";
import { misuse, usage } from "../run/signals.ts";
import { pending, ready } from "../run/slot.ts";
import type { SlotState } from "../run/slot.ts";
import type { StreamDriver } from "../run/stream-driver.ts";
import { Accounts } from "./accounts.ts";
import type { Group } from "./group.ts";
import { HandledStream } from "./handled.ts";
import { noteEnd, refuseHidden } from "./hidden.ts";
import { Memberships } from "./memberships.ts";
import { isStream, planOf } from "./plan.ts";
import { openConfirmed } from "./opening.ts";
import type { SourcePlan, StreamPlan } from "./plan.ts";
import { differenceOf, restoreSource } from "./restored.ts";
import { Reader } from "./reader.ts";
import { streamSnapshot } from "./snapshot.ts";
import type { StreamSnapshot } from "./snapshot.ts";
import { Source, sourceAt, topOf } from "./source.ts";
import type { SourceEnd } from "./source.ts";
import { unreadError, unsentError } from "./stream-errors.ts";
import { groupProblem } from "./group-name.ts";
import { hindrance, refused } from "./waiter.ts";
import { Writer } from "./writer.ts";

/** The group of the host's readers unless they name one (STR-11). */
export const hostGroupDefault = "host";

/** The streams of one tree of executions, in memory. */
export class Streams implements StreamDriver {
  private readonly root: ExecutionState;
  private readonly plan: StreamPlan;
  /** By the writer's path and the key's name. */
  private readonly sourcePlans: ReadonlyMap<string, SourcePlan>;
  private readonly accounts = new Accounts();
  private readonly sources = new Set<Source>();
  /** Made before they were opened, as the host reads them; by what `sourcePlans` has them under. */
  private readonly subscribed = new Map<string, Source>();
  private readonly memberships = new Memberships();
  /** There if the tree has checkpoints. */
  private readonly confirming: Confirming | undefined;
  /** The recorded ones by the ids of their sources: one for all executions and names (STR-12). */
  private readonly byId = new Map<string, Source>();

  constructor(
    root: ExecutionState,
    options: ExecutionOptions,
    received: ReadonlyMap<string, ReceivedInput>,
    problems: Problem[],
  ) {
    this.root = root;
    this.plan = planOf(root.compiled.graph);
    this.sourcePlans = new Map(this.plan.sources.map((plan) => [`${plan.path} ${plan.key.name}`, plan]));
    const { checkpoint } = root.tree;
    const { streamHooks } = checkpoint ?? {};
    this.confirming = checkpoint && streamHooks && new Confirming(checkpoint, streamHooks, root);
    checkExecution(root, this.plan, options, received, problems);
  }

  // ---- the host

  start(): void {
    const unread = this.plan.sources.filter(
      ({ path, key, readers }) =>
        readers.length === 0 &&
        !this.subscribed.has(`${path} ${key.name}`) &&
        // What is restored was read when it was opened; whether anything is left of it, who restores it knows (STR-37).
        this.root.tree.checkpoint?.restores(this.root, path, key.name) !== true,
    );
    if (unread.length === 0) return;
    throw unreadError(this.root.compiled.graph.name, unread);
  }

  subscribe(key: AnyKey, options: { readonly group?: string } | undefined): Reader {
    const { graph } = this.root.compiled;
    const group = options?.group ?? hostGroupDefault;
    const plan = this.plan.sources.find(({ outputs }) => outputs.includes(key?.name));
    const problem = groupProblem(group);
    if (this.root.started)
      throw usage("STR-11", `graph "${graph.name}" has been started; subscribe before the start`, "", key?.name);
    if (plan === undefined || !graph.outputs.includes(key))
      throw usage("STR-11", `graph "${graph.name}" has no output that is stream "${key?.name}"; name it in outputs`);
    if (problem !== undefined) throw usage("STR-5", problem, "", key.name);
    const id = `${plan.path} ${plan.key.name}`;
    let source = this.subscribed.get(id);
    if (source === undefined) this.subscribed.set(id, (source = this.make(plan, this.root)));
    return noteEnd(new Reader(source.join(group, "", key.name), undefined, undefined));
  }

  /** By the paths of writers, so that nothing but the bridge need know of sources (STR-37). */
  subscriptions(): readonly { readonly path: string; readonly key: string; readonly group: string }[] {
    return [...this.subscribed.values()].flatMap(({ plan, groups }) =>
      groups
        .filter(({ members }) => members.some(({ path }) => path === ""))
        .map(({ name }) => ({ path: plan.path, key: plan.key.name, group: name })),
    );
  }

  // ---- nodes

  open(level: NodeContext, key: AnyKey): Promise<Writer> {
    const { execution, node, path } = level;
    const { compiled } = execution;
    const slot = compiled.slotOf.get(key?.name) ?? -1;
    const hindered = hindrance({ level, path, waits: undefined }, undefined);
    if (hindered !== undefined) return refused(hindered.error);
    if (compiled.keys[slot] !== key || compiled.providerOf[slot] !== node.index || !isStream(key))
      return refused(
        misuse(
          "CORE-9",
          path,
          `opens "${key?.name}", which is no stream that it provides; add it to its provides`,
          key?.name,
        ),
      );
    const account = this.accounts.of(level);
    let source = sourceAt(execution, slot);
    if (source === undefined && level.written(slot) !== undefined)
      return refused(misuse("CORE-42", path, `opens stream "${key.name}", which it has skipped`, key.name));
    const { confirming } = this;
    if (confirming !== undefined) return this.openConfirmed(confirming, level, key, slot);
    if (source === undefined) {
      source = this.unopened(level, key);
      this.opened(source, level, slot);
    }
    return Promise.resolve(noteEnd(new Writer(source, account, level)));
  }

  /** The source that a node opens: the host may have made it by its subscription. */
  private unopened(level: NodeContext, key: AnyKey): Source {
    const id = `${level.path} ${key.name}`;
    const source = this.subscribed.get(id);
    // Opened already: something ran the mount again. What the host reads is the first.
    if (source === undefined || source.opened)
      return this.make(this.sourcePlans.get(id) as SourcePlan, level.execution);
    return source;
  }

  private opened(source: Source, level: NodeContext, slot: number): void {
    const { execution } = level;
    source.opened = true;
    this.accounts.of(level).sources.add(source);
    if (execution.slotState[slot] !== pending) return;
    level.tell({ kind: "stream-opened", key: source.plan.key.name });
    execution.decide(slot, ready, source);
  }

  /** Readers see it when it is confirmed; each opening of the node waits for the one (STR-21). */
  private async openConfirmed(confirming: Confirming, level: NodeContext, key: AnyKey, slot: number): Promise<Writer> {
    const account = this.accounts.of(level);
    const { execution } = level;
    const source = sourceAt(execution, slot) ?? account.opening.get(slot) ?? this.unopened(level, key);
    account.opening.set(slot, source);
    source.opening ??= openConfirmed(confirming, source, level, this.root).then(
      () => {
        if (source.ref !== undefined) this.byId.set(source.ref.sourceId, source);
        this.opened(source, level, slot);
      },
      (error: unknown) => {
        source.opening = undefined;
        throw error;
      },
    );
    const { opening } = source;
    // Covered by the root, but the node that opens it must not end before it knows what it has opened (STR-25).
    confirming.remember(execution, level.path, opening);
    await opening;
    return noteEnd(new Writer(source, account, level));
  }

  private make(plan: SourcePlan, execution: ExecutionState): Source {
    const source = new Source(plan, execution, this.confirming, (group) => this.told(source, group));
    this.sources.add(source);
    this.memberships.add(source);
    this.memberships.leftAlready(source);
    // Whoever has ended before the stream was there reads none of it, and holds nobody back (STR-44).
    for (const group of source.groups) group.stopped = group.hasLeft;
    return source;
  }

  private told({ plan }: Source, group: Group): void {
    const { tree } = this.root;
    // A reader that had the end before it ended has stopped nothing.
    if (tree.emitter.active && !group.reachedEnd)
      tree.emitter.emit(this.root.id, plan.path, { kind: "stream-stopped", key: plan.key.name, group: group.name });
  }

  reader(level: NodeContext, slot: number): Reader | undefined {
    const source = sourceAt(level.execution, slot);
    const key = level.execution.compiled.keys[slot] as AnyKey;
    const member = source?.memberOf(level.path, key.name);
    if (member === undefined) return undefined;
    const account = this.accounts.of(level);
    member.execution = level.execution;
    const reader = noteEnd(new Reader(member, account, level));
    account.readers.set(slot, reader);
    return reader;
  }

  passes(level: NodeContext, slot: number, state: SlotState, value: unknown): boolean {
    const { execution, path } = level;
    const key = execution.compiled.keys[slot] as AnyKey;
    if (this.accounts.known(level)?.contributed.has(slot) === true)
      throw misuse("CORE-9", path, `writes key "${key.name}" twice; a handler's commit has written it`, key.name);
    if (!isStream(key)) {
      const hidden = state === ready ? refuseHidden(path, key.name, value, this.confirming !== undefined) : undefined;
      if (hidden !== undefined) throw hidden.error;
      return false;
    }
    if (state !== ready) {
      if (sourceAt(execution, slot) !== undefined)
        throw misuse("CORE-42", path, `skips stream "${key.name}", which is open`, key.name);
      return false;
    }
    if (value instanceof Source) return true;
    throw misuse("STR-1", path, `writes a value to stream "${key.name}"; open it and send`, key.name);
  }

  readonly settles = (value: unknown): boolean => value instanceof HandledStream;

  begin(level: NodeContext): void {
    const account = this.accounts.known(level);
    if (account === undefined) return;
    account.used = true;
    for (const reader of account.readers.values()) {
      reader.level = level;
      reader.member.group.requeue(reader.member);
    }
  }

  verdict(level: NodeContext, thrown?: { readonly error: unknown }): { readonly thrown: unknown } | undefined {
    const account = this.accounts.known(level);
    if (account === undefined) return undefined;
    if (account.failure !== undefined) return account.failure;
    const { keys } = level.execution.compiled;
    if (thrown !== undefined) {
      const [slot] = account.contributed.keys();
      if (slot === undefined || !isSkip(thrown.error)) return undefined;
      const name = keys[slot]?.name ?? "";
      return { thrown: misuse("CORE-42", level.path, `was skipped after a handler had written "${name}"`, name) };
    }
    for (const { unsent, plan } of account.sources)
      if (unsent > 0) return { thrown: unsentError(level.path, plan.key.name, unsent) };
    if (account.used)
      for (const { member } of account.readers.values()) {
        const { group } = member;
        // What another reader of the group gave back is for those that still read.
        if (group.stopped || group.reachedEnd || member.sawEnd) continue;
        const what = `ended before it had reached the end of stream "${member.key}"; read until receive gives undefined, or stop the reader`;
        return { thrown: misuse("STR-10", level.path, what, member.key) };
      }
    // With checkpoints they are published with the rest of the node, when all of it is confirmed (STR-19).
    const { writes } = level.root;
    for (const [slot, write] of account.contributed)
      if (writes === undefined) level.execution.decide(slot, write.state, write.value);
      else writes.writes.set(slot, write);
    return undefined;
  }

  finish(level: NodeContext, reason: NodeReason, error: { readonly error: unknown } | undefined): void {
    const { execution, path, node } = level;
    const end: SourceEnd = { ...error, reason: reason === "failed" || reason === "canceled" ? reason : "completed" };
    // A failed end is one when it is confirmed (STR-8, STR-25).
    if (reason !== "failed" || this.confirming === undefined)
      for (const source of this.accounts.known(level)?.sources ?? []) this.end(source, end);
    // Of a stream that was never opened only the host knows.
    for (const slot of node.provides) {
      const source = this.subscribed.get(`${path} ${execution.compiled.keys[slot]?.name}`);
      if (source !== undefined && node.mount === undefined) this.end(source, end);
    }
    const isDecided = reason === "completed" || reason === "skipped";
    if (isDecided || this.confirming === undefined) this.memberships.leave(path, execution);
    // Nothing of it is confirmed: if the run goes on, a mount around it stops its groups when it is (STR-44).
    else this.memberships.leaveUnconfirmed(path, execution);
  }

  settled({ execution, path }: NodeContext): Promise<void> | undefined {
    return this.confirming?.settled(execution, path);
  }

  hasOpened(level: NodeContext): boolean {
    return (this.accounts.known(level)?.sources.size ?? 0) > 0;
  }

  endFailed(level: NodeContext, failure: { readonly error: unknown } | undefined): void {
    const end: SourceEnd = failure === undefined ? { reason: "canceled" } : { reason: "failed", error: failure.error };
    for (const source of this.accounts.known(level)?.sources ?? []) this.end(source, end);
  }

  turnToLeave({ path, execution }: NodeContext): Promise<() => void> | undefined {
    const groups = this.memberships.unread(path, execution);
    if (groups.length === 0) return undefined;
    const before = Promise.all(groups.flatMap(({ leaving }) => leaving ?? []));
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    // In this step for all of them, so that no two wait for each other.
    for (const group of groups) group.leaving = ended;
    return before.then(() => end);
  }

  leaving({ path, execution }: NodeContext): readonly GroupRef[] {
    return this.memberships
      .leaving(path, execution)
      .flatMap(({ source, name }) => (source.ref === undefined ? [] : [{ ...refOf(source), group: name }]));
  }

  private end(source: Source, end: SourceEnd): void {
    if (source.end !== undefined) return;
    const { plan } = source;
    const { tree, id } = this.root;
    if (tree.emitter.active && source.opened)
      tree.emitter.emit(id, plan.path, { kind: "stream-ended", key: plan.key.name, ...end });
    source.finish(end);
  }

  ended(execution: ExecutionState): void {
    // With checkpoints its readers leave with the mount, when that is confirmed (STR-44).
    if (this.confirming === undefined) this.memberships.leave(execution.path, execution);
    else this.memberships.leaveUnconfirmed(execution.path, execution);
    if (execution.parent === undefined) {
      // What was never opened, as its writer never ran.
      for (const source of this.subscribed.values())
        this.end(source, { reason: execution.stop === undefined ? "completed" : "canceled" });
      return;
    }
    for (const source of this.sources)
      if (source.execution === execution) {
        this.end(source, { reason: "canceled" });
        this.sources.delete(source);
        this.memberships.remove(source);
      }
  }

  snapshot(execution: ExecutionState): readonly StreamSnapshot[] {
    return [...this.sources].filter((source) => source.execution === execution).map(streamSnapshot);
  }

  // ---- after a resume

  restore(execution: ExecutionState, streams: readonly RestoredStream[]): ReadonlyMap<string, Source> {
    for (const stream of streams) {
      const plan = this.sourcePlans.get(`${stream.path} ${stream.key}`) as SourcePlan;
      let source = this.byId.get(stream.sourceId);
      // Something runs a mount again in the same scope: what its child had is over, what is recorded is not.
      if (source === undefined || isOver(source, execution)) source = this.restoreOne(plan, execution, stream);
      this.confirming?.stopsEarly(source);
      if (plan.place.path === execution.path) this.bind(source, execution);
    }
    // With the nodes that are restored now their readers have left; what became of their groups the record says (STR-44).
    for (const source of this.sources) this.memberships.leftAlready(source);
    return this.byId;
  }

  private restoreOne(plan: SourcePlan, execution: ExecutionState, stream: RestoredStream): Source {
    let source = this.subscribed.get(`${plan.path} ${plan.key.name}`);
    if (source === undefined || source.opened) source = this.make(plan, topOf(plan, execution));
    restoreSource(source, stream);
    this.byId.set(stream.sourceId, source);
    return source;
  }

  /** Where its writer is, which goes on with it or has ended. */
  private bind(source: Source, execution: ExecutionState): void {
    const { plan, end } = source;
    const { compiled, nodeState } = execution;
    if (this.subscribed.get(`${plan.path} ${plan.key.name}`) !== source) source.execution = execution;
    const slot = compiled.slotOf.get(plan.key.name) as number;
    const node = compiled.providerOf[slot] as number;
    if (nodeState[node] !== waiting || end !== undefined) return;
    this.accounts.at(execution, node).sources.add(source);
    // Readers need not wait for it, wherever they are (CKPT-26).
    execution.decide(slot, ready, source);
  }

  refAt(execution: ExecutionState, slot: number): StreamRef | undefined {
    return sourceAt(execution, slot)?.ref;
  }

  differs(stream: RestoredStream): string | undefined {
    const source = this.byId.get(stream.sourceId);
    return source && differenceOf(source, stream);
  }
}

/** Its writer was in an earlier run of this mount, whose child is over or about to be. */
const isOver = ({ end, execution: before }: Source, execution: ExecutionState): boolean =>
  end?.reason === "canceled" || (before !== execution && before.path === execution.path);

/** As they stand in an execution's array of states. */
const waiting = 0;
