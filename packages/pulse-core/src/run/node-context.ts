import type { AspectContext } from "../aspects/aspect.ts";
import type { CompiledNode } from "../compile.ts";
import type { ReadValue } from "../checkpoint/hooks.ts";
import type { AttachmentToken, Settled } from "../context.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import type { AnyKey } from "../key.ts";
import type { EventBody } from "./events.ts";
import type { ExecutionState } from "./execution-state.ts";
import type { Place } from "./place.ts";
import { misuse, noValueSignal, skipSignal } from "./signals.ts";
import { pending, ready, skippedState } from "./slot.ts";
import type { SlotState } from "./slot.ts";
import type { Write, WriteSet } from "./write-set.ts";

/** What stands in a body's result for a key that is settled already. */
export const settledMarker = Object.freeze({ settled: true }) as unknown as Settled;

/**
 * One level of a node's chain: the whole chain, or what a retry or a timeout has inside. A level has the signals, the
 * write set and the attempt of what it encloses. Its public face is the context of bodies and aspects.
 */
export class NodeContext implements AspectContext {
  readonly execution: ExecutionState;
  readonly node: CompiledNode;
  readonly outer: NodeContext | undefined;
  attempt = 1;
  writes: WriteSet | undefined;
  /** With checkpoints: the deepest attempt here. */
  attemptId = "";
  /** With checkpoints: readers in place of root inputs, by key name. */
  inputs: ReadonlyMap<string, ReadValue> | undefined;
  /** The business signal is aborted. */
  aborted = false;
  reason: unknown;
  /** Nothing more is taken from this level: it has settled, or was given up. */
  closed = false;
  /** Places this chain holds, innermost last; a wait lets go of them (CORE-18). */
  places: Place[] | undefined;
  /** On the outermost level: places of parts that failed, until the failure is dealt with. */
  failedPlaces: Place[] | undefined;
  /** A body or a child runs at this level. */
  busy = false;
  private inner: NodeContext | undefined;
  private readsHere = true;
  private values: Record<string, unknown> | undefined;
  private business: AbortController | undefined;
  private control: AbortController | undefined;
  private controlAborted = false;
  private wakers: Set<(reason: unknown) => void> | undefined;

  constructor(execution: ExecutionState, node: CompiledNode, outer?: NodeContext) {
    this.execution = execution;
    this.node = node;
    this.outer = outer;
  }

  /** A level inside this one. `isTry`: it reads its values anew (CKPT-36). */
  derive(isTry: boolean): NodeContext {
    const level = new NodeContext(this.execution, this.node, this);
    level.attempt = this.attempt;
    level.writes = this.writes;
    level.attemptId = this.attemptId;
    level.inputs = this.inputs;
    level.places = this.places;
    level.aborted = this.aborted;
    level.reason = this.reason;
    level.controlAborted = this.controlAborted;
    level.readsHere = isTry;
    this.inner = level;
    return level;
  }

  get root(): NodeContext {
    return this.outer?.root ?? this;
  }

  // ---- signals

  get signal(): AbortSignal {
    return (this.business ??= madeLate(this.aborted, this.reason)).signal;
  }

  /** Aborted by the host, by cancelling, and by timeouts that cover this level; not by fail-fast (CKPT-9). */
  get controlSignal(): AbortSignal {
    return (this.control ??= madeLate(this.controlAborted, this.reason)).signal;
  }

  get isControlAborted(): boolean {
    return this.controlAborted;
  }

  /** Aborts this level and all inside it, in this step. The first reason stays. */
  abort(reason: unknown, withControl: boolean): void {
    if (!this.aborted) {
      this.aborted = true;
      this.reason = reason;
    }
    if (withControl && !this.controlAborted) {
      this.controlAborted = true;
      this.control?.abort(reason);
    }
    this.business?.abort(this.reason);
    if (this.wakers !== undefined) for (const wake of this.wakers) wake(reason);
    this.inner?.abort(reason, withControl);
  }

  /** Calls back in the step in which this level is aborted. Returns what stops that. */
  onAbort(wake: (reason: unknown) => void): () => void {
    const wakers = (this.wakers ??= new Set());
    wakers.add(wake);
    return () => wakers.delete(wake);
  }

  /** Nothing that this level or one inside it does from now on counts (CORE-15). */
  close(): void {
    this.closed = true;
    this.inner?.close();
  }

  /** The body or child that {@link busy} tells of has settled. */
  bodySettled(): void {
    this.busy = false;
    this.execution.leave();
  }

  /** Tells observers of something at this node, if there are any. */
  tell(event: EventBody): void {
    const { emitter } = this.execution.tree;
    if (emitter.active) emitter.emit(this.execution.id, this.path, event);
  }

  // ---- what bodies and aspects use

  get nodeId(): string {
    return this.node.id;
  }

  get path(): string {
    return this.execution.prefix + this.node.id;
  }

  get requires(): readonly AnyKey[] {
    const { node } = this.node;
    return node.kind === "node" ? node.requires.map(keyOfEntry) : this.node.requires.map((slot) => this.keyAt(slot));
  }

  get provides(): readonly AnyKey[] {
    return this.node.provides.map((slot) => this.keyAt(slot));
  }

  get runId(): string {
    return this.execution.tree.runId;
  }

  get executionId(): string {
    return this.execution.id;
  }

  get idempotencyKey(): string {
    return this.execution.idempotencyKey(this.node.id);
  }

  // Getters that give functions: a body may take them apart, `({ url }, { set, skip }) => …`.

  get get(): (key: AnyKey) => never {
    return (key) => this.read(key) as never;
  }

  get set(): (key: AnyKey, value: unknown) => Settled {
    return (key, value) => {
      this.write(this.slotFor(key), ready, value);
      return settledMarker;
    };
  }

  get open(): (key: AnyKey) => Promise<unknown> {
    return async (key) => {
      const { streams } = this.execution.tree;
      if (streams === undefined) throw this.undeclared(key.name);
      return streams.open(this, key);
    };
  }

  get skip(): { (): never; (key: AnyKey): Settled } {
    const skip = (key?: AnyKey): Settled => {
      if (key === undefined) throw noValueSignal(this.path);
      this.write(this.slotFor(key), skippedState, undefined);
      return settledMarker;
    };
    return skip as { (): never; (key: AnyKey): Settled };
  }

  get attachment(): <Value>(token: AttachmentToken<Value>) => Value {
    return (token) => this.execution.tree.attachment(token, this.path);
  }

  // ---- reading and writing

  /** The values for the body: one object for each try. */
  bodyValues(): Record<string, unknown> {
    if (!this.readsHere && this.outer !== undefined) return this.outer.bodyValues();
    return (this.values ??= this.collect());
  }

  private collect(): Record<string, unknown> {
    const { node, execution } = this;
    const values = Object.create(node.values) as Record<string, unknown>;
    const { requires, optional } = node;
    for (let at = 0; at < requires.length; at++) {
      const slot = requires[at] as number;
      const name = this.keyAt(slot).name;
      if (execution.slotState[slot] === ready) values[name] = this.valueAt(slot);
      else if (optional[at] === true) values[name] = undefined;
      else {
        Object.defineProperty(values, name, {
          enumerable: true,
          get: () => {
            throw skipSignal(this.path, name);
          },
        });
      }
    }
    return values;
  }

  private valueAt(slot: number): unknown {
    const { execution } = this;
    const read = execution.compiled.providerOf[slot] === -1 ? this.inputs?.get(this.keyAt(slot).name) : undefined;
    if (read !== undefined) return execution.readConfirmed(read);
    return execution.tree.streams?.reader(this, slot) ?? execution.reveal(execution.slotValue[slot]);
  }

  private read(key: AnyKey): unknown {
    const { node, execution } = this;
    if (node.mount === undefined) {
      const values = this.bodyValues();
      // Every required key is an own field. A search through `requires` would make a wide join quadratic (CORE-35).
      if (Object.hasOwn(values, key.name)) return values[key.name];
    }
    const slot = execution.compiled.slotOf.get(key.name) ?? -1;
    const at = node.mount === undefined ? -1 : node.requires.indexOf(slot);
    const written = at >= 0 ? this.decided(slot) : this.written(slot);
    if (written === undefined || (at < 0 && execution.compiled.providerOf[slot] !== node.index))
      throw misuse(
        "CORE-9",
        this.path,
        `reads key "${key.name}", which it neither requires nor has written; add it to its requires`,
        key.name,
      );
    if (written.state === skippedState) throw skipSignal(this.path, key.name);
    return execution.reveal(written.value);
  }

  /** What this chain wrote for a slot, published or not. */
  written(slot: number): Write | undefined {
    return this.writes?.find(slot) ?? this.decided(slot);
  }

  private decided(slot: number): Write | undefined {
    const state = this.execution.slotState[slot] as SlotState | undefined;
    return state === undefined || state === pending ? undefined : { state, value: this.execution.slotValue[slot] };
  }

  private slotFor(key: AnyKey): number {
    const slot = this.execution.compiled.slotOf.get(key.name);
    if (slot !== undefined && this.keyAt(slot) === key) return slot;
    throw this.undeclared(key.name);
  }

  private keyAt(slot: number): AnyKey {
    return this.execution.compiled.keys[slot] as AnyKey;
  }

  private undeclared(name: string): Error {
    return misuse("CORE-9", this.path, `writes key "${name}", which it does not provide; add it to its provides`, name);
  }

  /** Writes a slot into the write set here, or publishes it at once (CORE-10). */
  write(slot: number, state: SlotState, value: unknown): void {
    const { execution, node } = this;
    const name = execution.compiled.keys[slot]?.name ?? "?";
    if (execution.compiled.providerOf[slot] !== node.index) throw this.undeclared(name);
    if (this.closed || execution.ended)
      throw misuse("CORE-15", this.path, `writes key "${name}" after it was given up`, name);
    // A stream is there as soon as it is opened, whatever is held back (STR-1).
    const passes = execution.tree.streams?.passes(this, slot, state, value);
    if (execution.slotState[slot] !== pending || this.writes?.find(slot) !== undefined)
      throw misuse("CORE-9", this.path, `writes key "${name}" twice; a key is written once`, name);
    if (this.writes === undefined || passes === true) execution.decide(slot, state, value);
    else this.writes.writes.set(slot, { state, value });
  }

  /** Takes what a body returned, by key name. */
  accept(result: unknown): void {
    if (result === undefined || result === null || result === settledMarker || this.closed) return;
    if (typeof result !== "object") {
      // What a body that provides nothing happens to return, as `() => list.push(x)` does, is no result.
      if (this.node.provides.length === 0) return;
      throw misuse(
        "CORE-8",
        this.path,
        `returned a ${typeof result}; return an object of what it provides, by key name`,
      );
    }
    const { execution } = this;
    for (const name in result) {
      const slot = execution.compiled.slotOf.get(name);
      if (slot === undefined) {
        if (!Object.hasOwn(result, name)) continue;
        throw this.undeclared(name);
      }
      const value = (result as Record<string, unknown>)[name];
      if (execution.tree.streams?.settles(value) === true) continue;
      if (value !== settledMarker) this.write(slot, ready, value);
      else if (this.written(slot) === undefined)
        throw misuse("CORE-8", this.path, `returned key "${name}" as settled, but has not written it`, name);
    }
  }
}

function madeLate(aborted: boolean, reason: unknown): AbortController {
  const controller = new AbortController();
  if (aborted) controller.abort(reason);
  return controller;
}
