import type { AnyKey } from "../key.ts";
import type { NodeContext } from "../run/node-context.ts";
import { misuse } from "../run/signals.ts";
import { ready, skippedState } from "../run/slot.ts";
import type { SlotState } from "../run/slot.ts";
import type { Account } from "./account.ts";
import type { Delivery } from "./delivery.ts";
import type { MessageContext } from "./handle-messages.ts";
import { refuseHidden } from "./hidden.ts";
import { isStream } from "./plan.ts";
import type { Reader } from "./reader.ts";
import type { Source } from "./source.ts";
import { hindrance, Waiter } from "./waiter.ts";
import type { Writer } from "./writer.ts";

interface StagedMessage {
  readonly value: unknown;
  readonly at: { readonly position: unknown } | undefined;
}

/** What one try of one message has staged. Nothing of it is true before the commit (STR-15). */
export class Staged {
  readonly context: MessageContext;
  /** A rule that the handler broke: also if it caught the error, the try has failed (STR-17). */
  violation: { readonly error: unknown } | undefined;
  private readonly reader: Reader;
  private readonly account: Account;
  private readonly level: NodeContext;
  private readonly delivery: Delivery;
  private readonly maxStaged: number;
  private readonly values = new Map<number, { readonly state: SlotState; readonly value: unknown }>();
  private readonly messages = new Map<AnyKey, StagedMessage[]>();
  private state: { readonly value: unknown } | undefined;
  private stops = false;
  private count = 0;
  private closed = false;

  constructor(
    reader: Reader,
    account: Account,
    level: NodeContext,
    delivery: Delivery,
    maxStaged: number,
    attempt: number,
  ) {
    this.reader = reader;
    this.account = account;
    this.level = level;
    this.delivery = delivery;
    this.maxStaged = maxStaged;
    this.state = account.state;
    // Functions, so that a handler may take the context apart.
    this.context = {
      attempt,
      get signal() {
        return level.signal;
      },
      state: {
        get: () => this.staging("STR-18", () => this.state && structuredClone(this.state.value)) as never,
        set: (next) => this.staging("STR-18", () => void (this.state = { value: structuredClone(next) })),
      },
      set: (key, value) => this.staging("STR-15", () => this.write(key, ready, value)),
      skip: (key) => this.staging("STR-15", () => this.write(key, skippedState, undefined)),
      send: (key, value) => this.staging("STR-15", () => this.add(key, { value, at: undefined })),
      sendAt: (key, position, value) => this.staging("STR-15", () => this.add(key, { value, at: { position } })),
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

  private write(key: AnyKey, state: SlotState, value: unknown): void {
    const { level, account } = this;
    const slot = this.slotOf(key);
    if (isStream(key))
      throw misuse("STR-15", level.path, `writes a value to stream "${key.name}"; send on it`, key.name);
    if (level.written(slot) !== undefined || account.contributed.has(slot) || this.values.has(slot))
      throw misuse("CORE-9", level.path, `writes key "${key.name}" twice; a key is written once`, key.name);
    const hidden = refuseHidden(level.path, key.name, value);
    if (hidden !== undefined) throw hidden.error;
    this.admitOne();
    this.values.set(slot, { state, value });
  }

  private add(key: AnyKey, message: StagedMessage): void {
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
    const hidden = refuseHidden(path, key.name, message.value);
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

  /** Makes all of it true in one step, once its messages fit (STR-17). */
  async commit(): Promise<void> {
    const { level, delivery } = this;
    const sends: Send[] = [];
    for (const [key, messages] of this.messages) {
      const writer = (await level.open(key)) as Writer;
      sends.push({ source: writer.source, messages });
    }
    const hindered = hindrance(this.reader, undefined);
    if (hindered !== undefined) throw hindered.error;
    const full = sends.find(({ source, messages }) => source.senders.size > 0 || !source.hasRoom(messages.length));
    const refusal = delivery.refusal();
    if (refusal !== undefined) throw refusal;
    if (full === undefined) this.apply(sends);
    else await this.waitForRoom(sends, full);
  }

  private waitForRoom(sends: readonly Send[], first: Send): Promise<boolean> {
    let at = first;
    const waiter = new Waiter<boolean>(this.reader, undefined, () => at.source.senders.delete(sender));
    const sender = {
      waiter,
      get need() {
        return at.messages.length;
      },
      enter: (): boolean => {
        // One stream has room now; the others may have filled up meanwhile.
        const full = sends.find(({ source, messages }) => !source.hasRoom(messages.length));
        if (full !== undefined) {
          at = full;
          full.source.senders.add(sender);
          return true;
        }
        const refusal = this.delivery.refusal();
        if (refusal !== undefined) waiter.fail(refusal);
        else {
          this.apply(sends);
          waiter.settle(true);
        }
        return true;
      },
    };
    first.source.senders.add(sender);
    return waiter.promise;
  }

  private apply(sends: readonly Send[]): void {
    const { account, delivery } = this;
    account.state = this.state;
    for (const [slot, write] of this.values) account.contributed.set(slot, write);
    delivery.acknowledge();
    for (const { source, messages } of sends) {
      // Nobody reads it any more: as `send`, it stores nothing then (STR-36).
      if (source.stopped) continue;
      for (const { value, at } of messages) {
        if (at !== undefined) source.position = at.position;
        source.append(value);
      }
    }
    if (this.stops) delivery.member.group.stop();
  }
}

/** What is staged for one stream. */
interface Send {
  readonly source: Source;
  readonly messages: readonly StagedMessage[];
}
