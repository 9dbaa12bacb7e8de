import type { CompiledGraph, CompiledNode, Flow } from "../compile.ts";
import type { ReadValue } from "../checkpoint/hooks.ts";
import type { NodeReason } from "./events.ts";
import { nameAbandoned } from "./abandoned.ts";
import { after } from "./host.ts";
import { NodeContext } from "./node-context.ts";
import { passIn } from "./pass-in.ts";
import { Place } from "./place.ts";
import type { Starter } from "./scheduler.ts";
import { interruption } from "./signals.ts";
import { Confirmed, pending, skippedState } from "./slot.ts";
import type { SlotState } from "./slot.ts";
import { endOf, isAbort, saysMore } from "./stop.ts";
import type { Stop } from "./stop.ts";
import type { Tree } from "./tree.ts";
import { PulseError } from "../errors.ts";

/** The states of a node (CORE-12), in the order in which they can follow each other. */
export const nodeStates = ["waiting", "running", "completed", "skipped", "failed", "canceled"] as const;
const waiting = 0;
const running = 1;

/** One running graph: its keys, its nodes, and how it ends. Every change of them is made here. */
export class ExecutionState implements Starter {
  readonly tree: Tree;
  readonly compiled: CompiledGraph;
  readonly path: string;
  readonly prefix: string;
  readonly slotState: Uint8Array;
  readonly slotValue: unknown[];
  readonly nodeState: Uint8Array;
  /** The persistent identity of this graph instance; empty without checkpoints. */
  scope = "";
  /** The mount that this is the child of; none at the root. */
  readonly parent: NodeContext | undefined;
  /** At the root, once it is needed: aborted by the host and by cancelling, not by fail-fast (CKPT-34). */
  control: AbortController | undefined;
  /** With checkpoints: readers for a child's fixed inputs, by name. */
  fixedReaders: ReadonlyMap<string, ReadValue> | undefined;
  stop: Stop | undefined;
  /** Failures after the first, in order (CORE-11). */
  readonly others: unknown[] = [];
  ended = false;
  started = false;
  /** By node index: the chain of a running node, and the child of a running mount. */
  readonly levels: (NodeContext | undefined)[];
  readonly children = new Map<number, ExecutionState>();
  /** Children that have not ended, those that a timeout around their mount gave up included. */
  readonly liveChildren = new Set<ExecutionState>();
  /** Told each decided output of a child, and its end. */
  onDecided: ((slot: number) => void) | undefined;
  onEnded: (() => void) | undefined;
  /** With checkpoints: told that the drain time is over while the first failure is still being confirmed. */
  onAbandoned: (() => void) | undefined;
  /** Told that a value cannot pass into this child (CODEC-18). */
  onRefused: ((error: unknown) => void) | undefined;
  private readonly undecided: Int32Array;
  private anySkipped = false;
  private unfinished: number;
  /** Bodies and confirmations under way: the end waits for them (CORE-30, CORE-45). */
  private live = 0;
  private stopDrain: (() => void) | undefined;
  private ownId: string | undefined;

  constructor(tree: Tree, compiled: CompiledGraph, parent?: NodeContext) {
    this.tree = tree;
    this.compiled = compiled;
    this.parent = parent;
    this.path = parent?.path ?? "";
    this.prefix = parent === undefined ? "" : `${this.path}/`;
    this.slotState = new Uint8Array(compiled.keys.length);
    this.slotValue = new Array<unknown>(compiled.keys.length).fill(undefined);
    this.nodeState = new Uint8Array(compiled.nodes.length);
    this.levels = new Array<NodeContext | undefined>(compiled.nodes.length).fill(undefined);
    this.undecided = compiled.undecided.slice();
    this.unfinished = compiled.nodes.length;
  }

  get id(): string {
    return this.parent === undefined ? this.tree.id : (this.ownId ??= this.tree.host.randomId());
  }

  idempotencyKey(nodeId: string): string {
    const path = this.prefix + nodeId;
    return this.tree.checkpoint?.stable(this.scope, nodeId, path) ?? `${this.tree.id}/${path}`;
  }

  // ---- starting

  /** Starts the execution. One that was stopped before has its nodes cancelled: none runs (CORE-37). */
  startAll(): void {
    const { tree, compiled } = this;
    const restored = tree.checkpoint?.install(this, (slot, state, value) => this.set(slot, state, value)) ?? [];
    this.started = true;
    if (tree.emitter.active) {
      const graph = compiled.graph.name;
      const name = this.parent === undefined ? tree.name : graph;
      tree.emitter.emit(this.id, this.path, { kind: "execution-started", name, graph });
    }
    for (const index of restored) {
      const reason = nodeStates[this.nodeState[index] as number] as NodeReason;
      this.unfinished--;
      this.emitFinished(index, { reason, restored: true });
      // A mount that was not confirmed passes what its child had confirmed outward again (CKPT-29).
      for (const slot of (compiled.nodes[index] as CompiledNode).provides) this.onDecided?.(slot);
    }
    if (this.stop === undefined) {
      for (const node of compiled.nodes) this.enlist(node);
      this.tree.scheduler.drain();
    } else this.cancelWaiting();
    this.checkEnd();
  }

  private enlist(node: CompiledNode): void {
    if (this.nodeState[node.index] !== waiting) return;
    if (this.tree.emitter.active) this.tree.emitter.emitNode(this.id, this.prefix + node.id, "node-waiting");
    if (this.undecided[node.index] === 0) this.tree.scheduler.push(this, node.index);
  }

  startable(node: number): boolean {
    return this.nodeState[node] === waiting && this.stop === undefined;
  }

  holdsPlace(node: number): boolean {
    return this.compiled.nodes[node]?.mount === undefined;
  }

  /** Starts one node that is ready: the scheduler calls it. */
  start(index: number): void {
    const node = this.compiled.nodes[index] as CompiledNode;
    const level = new NodeContext(this, node);
    this.levels[index] = level;
    const allSkipped =
      this.anySkipped && node.skippable && node.requires.every((slot) => this.slotState[slot] === skippedState);
    const { places } = this.tree.scheduler;
    if (places && this.holdsPlace(index)) level.places = [new Place(places)];
    this.tree.runNode(level, allSkipped);
  }

  /** `told`: no event says so of a provider whose keys are replaced, since it does not run (CORE-50). */
  markRunning(level: NodeContext, told: boolean): void {
    this.nodeState[level.node.index] = running;
    if (told && this.tree.emitter.active) this.tree.emitter.emitNode(this.id, level.path, "node-running");
  }

  // ---- keys

  private set(slot: number, state: SlotState, value: unknown): void {
    this.slotState[slot] = state;
    this.slotValue[slot] = value;
    if (state === skippedState) this.anySkipped = true;
    const waiters = this.compiled.waiting[slot] as readonly number[];
    for (let at = 0; at < waiters.length; at++) {
      const node = waiters[at] as number;
      this.undecided[node] = (this.undecided[node] as number) - 1;
    }
  }

  /** Gives a key its final state, and lets what waited for it run (CORE-3, CORE-5, CORE-20). */
  decide(slot: number, state: SlotState, value: unknown): void {
    this.set(slot, state, value);
    if (this.started && this.stop === undefined) {
      const waiters = this.compiled.waiting[slot] as readonly number[];
      for (let at = 0; at < waiters.length; at++)
        if (this.undecided[waiters[at] as number] === 0) this.tree.scheduler.push(this, waiters[at] as number);
      for (const { node, childSlot } of this.compiled.flows[slot] as readonly Flow[])
        if (this.children.has(node)) this.tree.scheduler.pushFlow(this, node, slot, childSlot);
    }
    this.onDecided?.(slot);
    if (!this.started) return;
    this.tree.scheduler.drain();
    if (this.unfinished === 0) this.checkEnd();
  }

  flowInto(node: number, slot: number, childSlot: number): void {
    const child = this.children.get(node);
    if (child !== undefined) passIn(this, slot, child, childSlot);
  }

  /** What bodies see of what a slot holds. */
  reveal(held: unknown): unknown {
    return held instanceof Confirmed ? this.readConfirmed(held.read) : held;
  }

  /** Reads a confirmed value; one that cannot be read stops the run (REC-9). */
  readConfirmed(read: ReadValue): unknown {
    try {
      return read();
    } catch (error) {
      throw this.tree.checkpoint?.readFailed(error) ?? error;
    }
  }

  // ---- ends of nodes

  private emitFinished(
    index: number,
    body: { reason: NodeReason; error?: unknown; restored?: true; overridden?: true },
  ): void {
    if (!this.tree.emitter.active) return;
    const path = this.prefix + (this.compiled.nodes[index] as CompiledNode).id;
    this.tree.emitter.emit(this.id, path, { kind: "node-finished", ...body });
  }

  /** Ends a node; its verdict is fixed from here on (CORE-12, CORE-36). */
  finish(level: NodeContext, reason: NodeReason, error?: { readonly error: unknown }): void {
    const { index } = level.node;
    // It may have been cancelled while its attempt was opened.
    this.levels[index] = undefined;
    if (this.ended || (this.nodeState[index] as number) > running) return;
    level.close();
    this.nodeState[index] = nodeStates.indexOf(reason);
    this.leaveChild(level);
    this.children.delete(index);
    this.unfinished--;
    const { emitter, overrides, streams } = this.tree;
    streams?.finish(level, reason, error);
    if (emitter.active) {
      if (overrides?.keysOf(this.path, level.node, this.compiled) !== undefined)
        this.emitFinished(index, { reason, overridden: true, ...error });
      else if (error !== undefined) this.emitFinished(index, { reason, ...error });
      else emitter.emitFinished(this.id, level.path, reason);
    }
    if (this.unfinished === 0) this.checkEnd();
  }

  /** An aspect answered for a mount, or failed it, while the child still runs: nothing more begins in there (CORE-13). */
  leaveChild(level: NodeContext): void {
    const child = this.children.get(level.node.index);
    if (child === undefined || child.ended) return;
    child.interrupt(interruption(level.path, level.reason), true);
  }

  /** Completes or skips a node in memory: what it left unwritten is skipped (CORE-8). */
  publish(level: NodeContext, reason: "completed" | "skipped"): void {
    const { provides } = level.node;
    for (let at = 0; at < provides.length; at++)
      if (this.slotState[provides[at] as number] === pending)
        this.decide(provides[at] as number, skippedState, undefined);
    this.finish(level, reason);
  }

  /** A node failed for real: the first failure ends the execution in this same step (CORE-11, CORE-45). */
  fail(level: NodeContext, error: unknown): void {
    const child = this.children.get(level.node.index);
    const { stop } = this;
    const inner = child?.stop;
    const path = inner?.kind === "failed" && inner.error === error ? inner.path : level.path;
    this.stop ??= { kind: "failed", error, path };
    if (stop !== undefined && saysMore(error, stop)) this.others.push(error);
    // One by one: they may be more than a call takes arguments. All is kept before the last node's end ends the execution.
    for (const other of child?.others ?? []) this.others.push(other);
    const aborted = stop !== undefined && level.aborted && isAbort(error, level.reason);
    this.finish(level, aborted ? "canceled" : "failed", { error });
    if (stop !== undefined) return;
    const reason = new PulseError("PULSE_EXECUTION_FAILED", `node "${path}" failed`, {
      cause: error,
      details: { path, others: this.others, abandoned: [] },
    });
    this.cancelWaiting();
    this.abortRunning(reason, false);
    this.armDrain();
    this.checkEnd();
  }

  // ---- ends of the execution

  /** Stops from above: the host, a parent's failure, a timeout around the mount, an unreliable hook. */
  interrupt(reason: unknown, withControl: boolean, stop: Stop = { kind: "interrupted", reason }): void {
    if (this.ended) return;
    if (this.stop === undefined && this.isComplete) {
      // Every verdict stands (CORE-36); only bodies that timeouts gave up on are left, and they are not waited for now.
      this.abandon();
      return;
    }
    if (this.stop === undefined) {
      this.stop = stop;
      this.cancelWaiting();
    }
    this.abortRunning(reason, withControl);
    if (this.parent === undefined) this.armDrain();
    this.checkEnd();
  }

  private cancelWaiting(): void {
    for (const node of this.compiled.nodes) {
      if (this.nodeState[node.index] !== waiting) continue;
      this.nodeState[node.index] = nodeStates.indexOf("canceled");
      this.unfinished--;
      this.emitFinished(node.index, { reason: "canceled" });
    }
  }

  private abortRunning(reason: unknown, withControl: boolean): void {
    if (withControl && this.parent === undefined) (this.control ??= new AbortController()).abort(reason);
    for (const level of this.levels) level?.abort(reason, withControl);
  }

  /** A body or a confirmation begins: the end waits for it. */
  enter(): void {
    this.live++;
  }

  leave(): void {
    this.live--;
    if (this.live === 0) this.checkEnd();
  }

  private armDrain(): void {
    if (this.ended || this.stopDrain !== undefined || (this.live === 0 && this.unfinished === 0)) return;
    this.stopDrain = after(this.tree.host, this.tree.drainMs, () => this.abandon());
  }

  private abandon(): void {
    nameAbandoned(this);
    this.onAbandoned?.();
    for (const level of this.levels) if (level !== undefined) this.finish(level, "canceled");
    if (!this.ended) this.end();
  }

  /** What timeouts gave up on and still runs. */
  readonly late = new Set<NodeContext>();

  /** Every node is finished and every output decided (CORE-48). */
  private get isComplete(): boolean {
    return (
      this.started &&
      this.unfinished === 0 &&
      !this.compiled.passThrough.some((slot) => this.slotState[slot] === pending)
    );
  }

  checkEnd(): void {
    if (this.ended || !this.started || this.unfinished > 0) return;
    if (this.stop === undefined && !this.isComplete) return;
    if (this.live > 0) this.armDrain();
    else this.end();
  }

  private end(): void {
    this.ended = true;
    this.stopDrain?.();
    this.tree.streams?.ended(this);
    if (this.tree.emitter.active) {
      const error = this.stop?.kind === "failed" ? { error: this.stop.error } : {};
      this.tree.emitter.emit(this.id, this.path, { kind: "execution-finished", reason: endOf(this.stop), ...error });
    }
    this.onEnded?.();
  }
}
