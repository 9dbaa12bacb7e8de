import type { ExecutionState } from "../run/execution-state.ts";
import type { ConfirmedMessage, StreamRef } from "../checkpoint/stream-hooks.ts";
import { Confirmed, ready } from "../run/slot.ts";
import type { Confirming } from "./confirming.ts";
import { Group } from "./group.ts";
import { Member } from "./member.ts";
import type { SourcePlan } from "./plan.ts";
import { Queue } from "./queue.ts";
import { closedError, streamMisuse } from "./stream-errors.ts";
import type { Waiter } from "./waiter.ts";

/** How a stream ended (STR-4). */
export interface SourceEnd {
  readonly reason: "completed" | "failed" | "canceled";
  readonly error?: unknown;
}

/** Whoever waits for room: `need` messages of it. `enter` says whether it is done with this queue. */
export interface Sender {
  readonly waiter: Waiter<boolean>;
  readonly need: number;
  readonly enter: () => boolean;
}

/**
 * A stream as its writing node makes it: the messages that some group has not had yet, and an account for each group. It
 * stands in the slot of its key, and of every further name that mounts give it (STR-12); no body reads it there.
 */
export class Source extends Confirmed {
  readonly plan: SourcePlan;
  readonly capacity: number;
  /** Where the writer is. */
  execution: ExecutionState;
  /** How what happens to it becomes true where it is recorded; none in memory. */
  readonly confirming: Confirming | undefined;
  /** Its name in the record, and how often it was opened by a resumed run (STR-21); none in memory. */
  ref: StreamRef | undefined;
  /** The outermost execution that the stream reaches. */
  readonly top: ExecutionState;
  readonly groups: Group[] = [];
  /** The sequence of the last message. */
  last = 0;
  /** What the writer saved with the last message that had one (STR-2). */
  position: unknown;
  opened = false;
  /** While its opening by this process is being confirmed, and after that: each opening waits for the one (STR-21). */
  opening: Promise<unknown> | undefined;
  /** Messages that are being confirmed: they have their room already. */
  reserved = 0;
  /** Whoever has got room and not asked for its confirmation yet: those behind wait, so that the order is that of the calls. */
  entering = 0;
  /** Confirmed before those in front of them. */
  private readonly early = new Map<
    number,
    { readonly message: unknown; readonly at: { readonly position: unknown } | undefined }
  >();
  end: SourceEnd | undefined;
  readonly senders = new Set<Sender>();
  private readonly buffer = new Queue<unknown>();
  /** The sequence of the first message in the buffer. */
  private first = 1;
  private readonly byReader = new Map<string, Member>();
  private stopController: AbortController | undefined;
  private readonly onStop: (group: Group) => void;

  constructor(
    plan: SourcePlan,
    execution: ExecutionState,
    confirming: Confirming | undefined,
    onStop: (group: Group) => void,
  ) {
    super(() => {
      throw streamMisuse("STR-1", "", plan.key.name, "is read through its reader: require its key");
    });
    this.plan = plan;
    this.capacity = plan.key.stream.capacity;
    this.execution = execution;
    this.confirming = confirming;
    this.onStop = onStop;
    this.top = topOf(plan, execution);
    for (const { path, key, group } of plan.readers) this.byReader.set(`${path} ${key}`, this.join(group, path, key));
  }

  /** A reader of this group; readers of one name share it (STR-5). */
  join(name: string, path: string, key: string): Member {
    return new Member(this.groupNamed(name), path, key);
  }

  groupNamed(name: string): Group {
    let group = this.groups.find((known) => known.name === name);
    if (group === undefined) this.groups.push((group = new Group(this, name)));
    return group;
  }

  memberOf(path: string, key: string): Member | undefined {
    return this.byReader.get(`${path} ${key}`);
  }

  get members(): readonly Member[] {
    return this.groups.flatMap((group) => group.members);
  }

  // ---- messages

  messageAt(sequence: number): unknown {
    return this.buffer.at(sequence - this.first);
  }

  /** Goes on after the last of these messages, which follow each other from `first` on. */
  startFrom(first: number, messages: readonly unknown[]): void {
    this.first = first;
    this.last = first + messages.length - 1;
    for (const message of messages) this.buffer.push(message);
  }

  /** Forgets what every group has had. */
  trim(): void {
    let next = this.last + 1;
    for (const group of this.groups) if (!group.stopped && group.next < next) next = group.next;
    if (next > this.first) {
      this.buffer.drop(next - this.first);
      this.first = next;
    }
  }

  append(value: unknown): void {
    this.last++;
    this.buffer.push(value);
    for (let at = 0; at < this.groups.length; at++) {
      const group = this.groups[at] as Group;
      if (group.hasReceivers) group.wake();
    }
  }

  /** Gives a confirmed message to the groups, in the order of sequences whatever the order of answers. */
  accept({ sequence, read, position }: ConfirmedMessage, sent: { readonly position: unknown } | undefined): void {
    const at = position === undefined ? sent : { position: new Confirmed(position) };
    this.early.set(sequence, { message: new Confirmed(read), at });
    for (let next = this.last + 1; ; next++) {
      const confirmed = this.early.get(next);
      if (confirmed === undefined) return;
      this.early.delete(next);
      if (confirmed.at !== undefined) this.position = confirmed.at.position;
      this.append(confirmed.message);
    }
  }

  // ---- room

  /** Nobody reads any more (STR-9). */
  get stopped(): boolean {
    for (let at = 0; at < this.groups.length; at++) if (!(this.groups[at] as Group).stopped) return false;
    return true;
  }

  get stopSignal(): AbortSignal {
    if (this.stopController === undefined) {
      this.stopController = new AbortController();
      if (this.stopped) this.stopController.abort(this.stopReason());
    }
    return this.stopController.signal;
  }

  private stopReason(): Error {
    return new Error(`nobody reads stream "${this.plan.key.name}" any more`);
  }

  /** Whether so many messages fit (STR-3), or nobody reads them. */
  hasRoom(need: number): boolean {
    for (let at = 0; at < this.groups.length; at++) {
      const group = this.groups[at] as Group;
      if (!group.stopped && group.pending + this.reserved + need > this.capacity) return false;
    }
    return true;
  }

  /** Sends that wait for room, or have it and were not asked for yet. */
  get unsent(): number {
    return this.senders.size + this.entering;
  }

  /** Whoever got room has asked for its confirmation. */
  entered(): void {
    if (--this.entering === 0) this.pump();
  }

  /** Lets those in who wait for room, in their order. */
  pump(): void {
    for (const sender of this.senders) {
      if (sender.waiter.isGone) this.senders.delete(sender);
      else {
        if (!this.hasRoom(sender.need)) return;
        this.senders.delete(sender);
        if (!sender.enter()) return;
      }
    }
  }

  groupStopped(group: Group): void {
    this.trim();
    this.onStop(group);
    if (this.stopped) this.stopController?.abort(this.stopReason());
    this.pump();
  }

  /** The end is subject to no capacity (STR-30). The first one stays. */
  finish(end: SourceEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    for (const { waiter } of this.senders) waiter.fail(closedError(this.plan.path));
    this.senders.clear();
    for (const group of this.groups) group.wake();
  }
}

/** The outermost execution that a stream reaches, seen from one of those that have it. */
export function topOf(plan: SourcePlan, execution: ExecutionState): ExecutionState {
  let top = execution;
  while (top.path !== plan.top && top.parent !== undefined) top = top.parent.execution;
  return top;
}

/** The stream in a slot, if it has been opened. */
export function sourceAt({ slotState, slotValue }: ExecutionState, slot: number): Source | undefined {
  const value = slotState[slot] === ready ? slotValue[slot] : undefined;
  return value instanceof Source ? value : undefined;
}
