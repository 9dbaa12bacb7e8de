import type { Group } from "./group.ts";
import type { Member } from "./member.ts";
import { canceledError, failedError, streamMisuse } from "./stream-errors.ts";
import { quiet, refused } from "./waiter.ts";

const done = Promise.resolve();

/** One message as one group has it. */
export class Delivery {
  /** Counts from 1 without gaps (STR-2). */
  readonly sequence: number;
  readonly value: unknown;
  /** What the value was read from, for the next delivery (CKPT-36). */
  readonly held: unknown;
  readonly member: Member;
  /** The message has been delivered again: this delivery can acknowledge nothing. */
  isOld = false;
  /** The reader's try ended while it was being confirmed: without a confirmation the message is delivered again. */
  goesBack = false;
  private settling: Promise<void> | undefined;
  private readonly group: Group;
  private acknowledged = false;

  constructor(group: Group, member: Member, sequence: number, value: unknown, held: unknown) {
    this.group = group;
    this.member = member;
    this.sequence = sequence;
    this.value = value;
    this.held = held;
  }

  /** A getter that gives a function: a loop may take a delivery apart, `({ value, ack })`. */
  get ack(): () => Promise<void> {
    return () => {
      if (this.settling !== undefined) return this.settling;
      const refusal = this.refusal();
      if (refusal !== undefined) return refused(refusal);
      const { confirming } = this.group.source;
      if (confirming !== undefined && !this.isDone) {
        const { group, member, sequence } = this;
        return quiet(this.settle(confirming.commit(group, member.path, member.execution, sequence)));
      }
      this.acknowledge();
      return done;
    };
  }

  private get isDone(): boolean {
    return this.acknowledged || this.group.stopped;
  }

  /** It is being confirmed whether it is acknowledged. */
  get isSettling(): boolean {
    return this.settling !== undefined;
  }

  /** Acknowledges it when this is confirmed; until then it counts as unacknowledged, and its message goes to nobody else. */
  settle(confirmed: Promise<unknown>): Promise<void> {
    this.settling = confirmed.then(
      () => this.settled(() => this.acknowledge()),
      (error: unknown) => {
        this.settled(() => void (this.goesBack && this.group.giveBack(this)));
        throw error;
      },
    );
    return this.settling;
  }

  private settled(then: () => void): void {
    this.settling = undefined;
    then();
  }

  /** Why it cannot be acknowledged, if so (STR-40, STR-43). */
  refusal(): unknown {
    if (this.acknowledged || (this.group.stopped && !this.isOld)) return undefined;
    const { source } = this.group;
    if (this.isOld)
      return streamMisuse(
        "STR-40",
        this.member.path,
        source.plan.key.name,
        `acknowledges message ${this.sequence} of stream "${source.plan.key.name}" by an older delivery; it was delivered again`,
      );
    const { end } = source;
    if (end?.reason === "failed") return failedError(source, end.error);
    if (end?.reason === "canceled") return canceledError(source);
    return undefined;
  }

  /** Takes effect at once; a second time is harmless (STR-7), and so is one after a stop (STR-40). */
  acknowledge(): void {
    if (this.acknowledged || this.group.stopped) return;
    this.acknowledged = true;
    this.group.acknowledge(this);
  }
}
