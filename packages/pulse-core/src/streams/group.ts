import { Delivery } from "./delivery.ts";
import type { Member } from "./member.ts";
import type { Source } from "./source.ts";
import { canceledError, failedError } from "./stream-errors.ts";
import type { Waiter } from "./waiter.ts";

/** The readers that share one account of a stream's messages (STR-5). */
export class Group {
  readonly source: Source;
  /** `/` and the reader's path, or the name that its readers gave. */
  readonly name: string;
  readonly members: Member[] = [];
  /** The sequence of the message to be delivered next, apart from {@link again}. */
  next = 1;
  /** How many messages were delivered and are not acknowledged. */
  unacked = 0;
  /** It reads no more: it stopped, or all its readers have ended (STR-9, STR-44). */
  stopped = false;
  /** The host stopped it before it was known what the record says of it: that is to be confirmed once it is. */
  stopsEarly = false;
  /** The completed end was received. */
  reachedEnd = false;
  /** Its stop is being confirmed. */
  stopping: Promise<void> | undefined;
  /** While nodes that may leave it are being confirmed, one after the other: settles with the last of them (STR-44). */
  leaving: Promise<void> | undefined;
  readonly outstanding = new Set<Delivery>();
  /** Messages to be delivered anew, in order (STR-46). */
  private again: { readonly sequence: number; readonly held: unknown }[] = [];
  private readonly receivers = new Map<Waiter<Delivery | undefined>, Member>();

  constructor(source: Source, name: string) {
    this.source = source;
    this.name = name;
  }

  /** What it has not acknowledged: this is what capacity bounds (STR-3). */
  get pending(): number {
    return this.source.last - this.next + 1 + this.unacked;
  }

  /** The highest sequence with nothing unacknowledged at or below it (STR-7). */
  get frontier(): number {
    let lowest = this.again[0]?.sequence ?? this.next;
    for (const { sequence } of this.outstanding) if (sequence < lowest) lowest = sequence;
    return lowest - 1;
  }

  get hasReceivers(): boolean {
    return this.receivers.size > 0;
  }

  /** The paths of readers that wait for the writer. */
  get waiting(): readonly string[] {
    return [...this.receivers.values()].map(({ path }) => path);
  }

  /** The next delivery, the end (`undefined`), or nothing yet (`"wait"`). Throws how the stream failed (STR-8). */
  take(member: Member): Delivery | undefined | "wait" {
    const { source } = this;
    if (this.stopped) return undefined;
    const { end } = source;
    if (end?.reason === "failed") throw failedError(source, end.error);
    if (end?.reason === "canceled") throw canceledError(source);
    if (this.again.length > 0 || this.next <= source.last) return this.deliver(member);
    if (end === undefined) return "wait";
    this.reachedEnd = true;
    member.sawEnd = true;
    return undefined;
  }

  private deliver(member: Member): Delivery {
    const { source } = this;
    const [again] = this.again;
    const { sequence, held } = again ?? { sequence: this.next, held: source.messageAt(this.next) };
    // Read before anything changes: what cannot be read is not delivered (REC-9).
    const delivery = new Delivery(this, member, sequence, source.execution.reveal(held), held);
    this.outstanding.add(delivery);
    if (again === undefined) {
      this.next++;
      this.unacked++;
      source.trim();
    } else this.again.shift();
    return delivery;
  }

  enqueue(receiver: Waiter<Delivery | undefined>, member: Member): Promise<Delivery | undefined> {
    this.receivers.set(receiver, member);
    return receiver.promise;
  }

  readonly leaveQueue = (receiver: Waiter<Delivery | undefined>): void => void this.receivers.delete(receiver);

  /** Gives what there is to those who wait for it. */
  wake(): void {
    for (const [receiver, member] of this.receivers) {
      if (receiver.isGone) {
        this.receivers.delete(receiver);
        continue;
      }
      let taken: Delivery | undefined | "wait";
      try {
        taken = this.take(member);
      } catch (error) {
        this.receivers.delete(receiver);
        receiver.fail(error);
        continue;
      }
      if (taken === "wait") return;
      this.receivers.delete(receiver);
      receiver.settle(taken);
    }
  }

  acknowledge(delivery: Delivery): void {
    this.outstanding.delete(delivery);
    this.unacked--;
    this.source.pump();
  }

  /** What this member holds unacknowledged is delivered again: its older deliveries can acknowledge nothing (STR-46). */
  requeue(member: Member): void {
    if (this.stopped) return;
    let found = false;
    for (const delivery of this.outstanding) {
      if (delivery.member !== member) continue;
      // Whether it is acknowledged is being confirmed: it goes back if it turns out that it was not.
      if (delivery.isSettling) {
        delivery.goesBack = true;
        continue;
      }
      found = true;
      member.sawEnd = false;
      this.outstanding.delete(delivery);
      delivery.isOld = true;
      this.again.push(delivery);
    }
    if (found) this.sortAgain();
  }

  /** An acknowledgement was not confirmed, and its reader's try is over. */
  giveBack(delivery: Delivery): void {
    if (this.stopped || !this.outstanding.delete(delivery)) return;
    delivery.isOld = true;
    delivery.member.sawEnd = false;
    this.again.push(delivery);
    this.sortAgain();
  }

  private sortAgain(): void {
    this.reachedEnd = false;
    this.again.sort((left, right) => left.sequence - right.sequence);
    this.wake();
  }

  /** What it had not acknowledged when the record was written: all from `next` on, and these before it, in order. */
  restore(next: number, before: readonly { readonly sequence: number; readonly held: unknown }[]): void {
    this.next = next;
    this.unacked = before.length;
    this.again = [...before];
  }

  /** Ends its duty to read (STR-9): the writer waits for it no more, and its readers get the end. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.wake();
    this.source.groupStopped(this);
  }

  /** All its readers have ended. */
  get hasLeft(): boolean {
    return this.members.length > 0 && this.members.every(({ left }) => left);
  }

  /** A reader has ended. With the last one the group leaves; else what it held goes to the others. */
  leave(member: Member): void {
    member.left = true;
    if (this.hasLeft) this.stop();
    else this.requeue(member);
  }
}
