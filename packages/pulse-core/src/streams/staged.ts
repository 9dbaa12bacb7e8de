import type { AnyKey } from "../key.ts";
import type { NodeContext } from "../run/node-context.ts";
import { misuse } from "../run/signals.ts";
import { ready, skippedState } from "../run/slot.ts";
import type { SlotState } from "../run/slot.ts";
import type { Account } from "./account.ts";
import type { SentMessage } from "./confirming.ts";
import { copyOf } from "./copy.ts";
import type { Delivery } from "./delivery.ts";
import type { MessageContext } from "./handle-messages.ts";
import { refuseHidden } from "./hidden.ts";
import { isStream } from "./plan.ts";
import type { Reader } from "./reader.ts";
import type { StreamKey } from "./stream-key.ts";

/** What a try of a message begins with. */
export interface MessageTry {
  /** From 1. */
  readonly attempt: number;
  readonly limit: number;
  readonly state: { readonly value: unknown } | undefined;
}

/**
 * What a commit fails with when the handler has read a state that was replaced since, by a handler of the node for another
 * stream: no try has failed, it is made anew (STR-15).
 */
export const outdated = new Error("the state was replaced while a handler worked on it");

/** What one try of one message has staged. Nothing of it is true before the commit (STR-15). */
export class Staged {
  readonly context: MessageContext;
  /** A rule that the handler broke: also if it caught the error, the try has failed (STR-17). */
  violation: { readonly error: unknown } | undefined;
  readonly reader: Reader;
  readonly account: Account;
  readonly level: NodeContext;
  readonly delivery: Delivery;
  private readonly maxStaged: number;
  readonly values = new Map<number, { readonly state: SlotState; readonly value: unknown }>();
  readonly messages = new Map<AnyKey & StreamKey, SentMessage[]>();
  state: { readonly value: unknown } | undefined;
  /** Whether the handler has set it. */
  stateSet = false;
  private stateRead = false;
  private readonly moves: number;
  readonly begun: MessageTry;
  stops = false;
  private count = 0;
  private closed = false;

  constructor(
    reader: Reader,
    account: Account,
    level: NodeContext,
    delivery: Delivery,
    maxStaged: number,
    begun: MessageTry,
    moves: number,
  ) {
    this.reader = reader;
    this.account = account;
    this.level = level;
    this.delivery = delivery;
    this.maxStaged = maxStaged;
    this.begun = begun;
    this.state = begun.state;
    this.moves = moves;
    // Functions, so that a handler may take the context apart.
    this.context = {
      attempt: begun.attempt,
      get signal() {
        return level.signal;
      },
      get idempotencyKey() {
        return messageKey(level, delivery);
      },
      state: {
        get: () => this.staging("STR-18", () => this.getState()) as never,
        set: (next) => this.staging("STR-18", () => this.setState(next)),
      },
      set: (key, value) => this.staging("STR-15", () => this.write(key, ready, value)),
      skip: (key) => this.staging("STR-15", () => this.write(key, skippedState, undefined)),
      send: (key, value) => this.staging("STR-15", () => this.add(key, { value, at: undefined })),
      sendAt: (key, position, value) =>
        this.staging("STR-15", () => this.add(key, { value, at: { position: copyOf(position) } })),
      stop: () => this.staging("STR-20", () => void (this.stops = true)),
    };
  }

  /** Nothing more is staged: the handler has settled. */
  close(): void {
    this.closed = true;
  }

  private staging<Result>(rule: string, stage: () => Result): Result {
    if (this.closed || this.level.closed)
      throw misuse(rule, this.level.path, "uses the context of a handler that has settled");
    try {
      return stage();
    } catch (error) {
      this.violation ??= { error };
      throw error;
    }
  }

  private getState(): unknown {
    // What the handler has set itself no other one has moved.
    this.stateRead ||= !this.stateSet;
    return this.state && copyOf(this.state.value);
  }

  private setState(next: unknown): void {
    const hidden = refuseHidden(this.level.path, "state", next, this.isRecorded);
    if (hidden !== undefined) throw hidden.error;
    this.state = { value: copyOf(next) };
    this.stateSet = true;
  }

  /** Another handler of the node has replaced the state that this one has read: its work is of no use any more. */
  get isOutdated(): boolean {
    return this.stateRead && this.moves !== this.account.stateMoves;
  }

  private write(key: AnyKey, state: SlotState, value: unknown): void {
    const { level, account } = this;
    const slot = this.slotOf(key);
    if (isStream(key))
      throw misuse("STR-15", level.path, `writes a value to stream "${key.name}"; send on it`, key.name);
    if (level.written(slot) !== undefined || account.contributed.has(slot) || this.values.has(slot))
      throw misuse("CORE-9", level.path, `writes key "${key.name}" twice; a key is written once`, key.name);
    const hidden = refuseHidden(level.path, key.name, value, this.isRecorded);
    if (hidden !== undefined) throw hidden.error;
    this.admitOne();
    this.values.set(slot, { state, value });
  }

  /** Where values are recorded, no live channel is among them (STR-14). */
  private get isRecorded(): boolean {
    return this.reader.member.group.source.confirming !== undefined;
  }

  private add(key: AnyKey, message: SentMessage): void {
    const { path } = this.level;
    this.slotOf(key);
    if (!isStream(key))
      throw misuse("STR-15", path, `sends on key "${key.name}", which is no stream; set it`, key.name);
    const { capacity } = key.stream;
    const staged = this.messages.get(key) ?? [];
    if (staged.length === capacity) {
      const what = `sends more than ${capacity} messages on stream "${key.name}" for one message, which is its capacity`;
      throw misuse("STR-17", path, what, key.name);
    }
    const hidden = refuseHidden(path, key.name, message.value, this.isRecorded);
    if (hidden !== undefined) throw hidden.error;
    this.admitOne();
    this.messages.set(key, [...staged, message]);
  }

  private admitOne(): void {
    if (++this.count > this.maxStaged)
      throw misuse("STR-17", this.level.path, `stages more than maxStaged (${this.maxStaged}) for one message`);
  }

  private slotOf(key: AnyKey): number {
    const { execution, node, path } = this.level;
    const { compiled } = execution;
    const slot = compiled.slotOf.get(key?.name) ?? -1;
    if (compiled.keys[slot] !== key || compiled.providerOf[slot] !== node.index)
      throw misuse(
        "CORE-9",
        path,
        `writes key "${key?.name}", which it does not provide; add it to its provides`,
        key?.name,
      );
    return slot;
  }
}

/** Stable for one message over tries and crashes, another for each (DUR-25). */
function messageKey({ execution, node, path }: NodeContext, { sequence, member }: Delivery): string {
  const { name: group, source } = member.group;
  const { checkpoint } = execution.tree;
  if (checkpoint === undefined || source.ref === undefined)
    return `${execution.idempotencyKey(node.id)}/${source.plan.path}/${source.plan.key.name}/${group}/${sequence}`;
  const { sourceId } = source.ref;
  const message = { sourceId, group, sequence };
  return (
    checkpoint.stable(execution.scope, node.id, path, message) ??
    `${execution.tree.id}/${path}/${sourceId}/${group}/${sequence}`
  );
}
