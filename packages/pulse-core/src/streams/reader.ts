import type { ExecutionState } from "../run/execution-state.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { Account } from "./account.ts";
import type { Confirming } from "./confirming.ts";
import type { Delivery } from "./delivery.ts";
import type { Member } from "./member.ts";
import { hindrance, quiet, refused, Waiter } from "./waiter.ts";
import type { Party } from "./waiter.ts";

/** One message as it was delivered to a group (STR-6). */
export interface StreamDelivery<Element> {
  readonly value: Element;
  /** Counts the stream's messages from 1, without gaps (STR-2). */
  readonly sequence: number;
  /**
   * Acknowledges the message, in any order; twice is harmless (STR-7), and so is one after the group's stop (STR-40).
   * @throws PULSE_STREAM_FAILED or PULSE_STREAM_CANCELED when the stream has ended so (STR-43); PULSE_USAGE for a delivery
   * of an earlier try, whose message was delivered again (STR-46)
   */
  ack(): Promise<void>;
}

export interface WaitOptions {
  /** Ends this one wait with its reason; nothing is lost or doubled by it (STR-6, STR-30). */
  readonly signal?: AbortSignal;
}

/**
 * The reader of a stream: what a body gets for a required stream key, and a host by `execution.subscribe`. Iterating it gives
 * deliveries, in order, until the completed end (STR-6). A body must reach the end or `stop` before it returns (STR-10).
 */
export interface StreamReader<Element> {
  /**
   * The next delivery, or `undefined` at the end or after the group's stop. Waits while there is none.
   * @throws PULSE_STREAM_FAILED or PULSE_STREAM_CANCELED when the stream ended so (STR-8), PULSE_INTERRUPTED when the node is
   * interrupted, the reason of `signal` when that is aborted
   */
  receive(options?: WaitOptions): Promise<StreamDelivery<Element> | undefined>;
  /** The values alone; each is acknowledged when the next is asked for (STR-6). Leaving the loop early acknowledges no more. */
  values(): AsyncIterableIterator<Element>;
  /**
   * Ends the group's duty to read; the rest is not acknowledged (STR-9). Harmless the second time. A host may stop before the
   * stream is open: with checkpoints that is recorded as soon as it is. When the run was interrupted it is not, and a resume
   * reads on.
   */
  stop(): Promise<void>;
  [Symbol.asyncIterator](): AsyncIterableIterator<StreamDelivery<Element>>;
}

const done = Promise.resolve();

/** A node's reader, or the host's. */
export class Reader implements StreamReader<unknown>, Party {
  readonly member: Member;
  /** The node's; none for the host's reader. */
  readonly account: Account | undefined;
  /** Where the body that has it runs. */
  level: NodeContext | undefined;
  readonly path: string;

  constructor(member: Member, account: Account | undefined, level: NodeContext | undefined) {
    this.member = member;
    this.account = account;
    this.level = level;
    this.path = member.path;
  }

  get waits(): { count: number } | undefined {
    return this.account?.waits;
  }

  // Functions, so that a body may take the reader apart.

  readonly receive = (options?: WaitOptions): Promise<Delivery | undefined> => {
    const got = this.next(options?.signal);
    return got instanceof Promise ? got : Promise.resolve(got);
  };

  /** What there is, at once, or a promise of it. */
  private next(signal?: AbortSignal): Delivery | undefined | Promise<Delivery | undefined> {
    const hindered = hindrance(this, signal);
    if (hindered !== undefined) return refused(hindered.error);
    const { member, account } = this;
    const { group } = member;
    if (account !== undefined) account.used = true;
    try {
      const taken = group.take(member);
      if (taken !== "wait") return taken;
    } catch (error) {
      return refused(error);
    }
    return group.enqueue(new Waiter<Delivery | undefined>(this, signal, group.leaveQueue), member);
  }

  readonly stop = (): Promise<void> => {
    const hindered = hindrance(this, undefined);
    if (hindered !== undefined) return refused(hindered.error);
    const { group, path, execution } = this.member;
    const { confirming } = group.source;
    const { ref, opening, end } = group.source;
    const isRecorded = ref !== undefined || opening !== undefined;
    if (confirming === undefined || !isRecorded || group.stopped || end?.reason === "canceled") {
      group.stopsEarly ||= !isRecorded;
      group.stop();
      return done;
    }
    return quiet((group.stopping ??= this.confirmStop(confirming, path, execution)));
  };

  private async confirmStop(
    confirming: Confirming,
    path: string,
    execution: ExecutionState | undefined,
  ): Promise<void> {
    const { group } = this.member;
    try {
      // What is being opened is recorded with the groups that it has.
      await group.source.opening?.catch(() => {});
      if (group.source.ref !== undefined) await confirming.commit(group, path, execution);
      group.stop();
    } finally {
      group.stopping = undefined;
    }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Delivery> {
    return iterate(() => {
      const got = this.next();
      return got instanceof Promise ? got.then(toResult) : Promise.resolve(toResult(got));
    });
  }

  readonly values = (): AsyncIterableIterator<unknown> => {
    let held: Delivery | undefined;
    let last: Promise<IteratorResult<unknown, undefined>> | undefined;
    const step = async (before: Promise<unknown> | undefined): Promise<IteratorResult<unknown, undefined>> => {
      // One after the other, as a generator's: each acknowledges the value before. Whoever asked for that is told how it failed.
      await before?.catch(() => {});
      if (held !== undefined) await held.ack();
      held = await this.receive();
      return held === undefined ? atEnd : { done: false, value: held.value };
    };
    return iterate(() => (last = step(last)));
  };
}

const atEnd = { done: true, value: undefined } as const;

const toResult = (delivery: Delivery | undefined): IteratorResult<Delivery, undefined> =>
  delivery === undefined ? atEnd : { done: false, value: delivery };

/** By hand: a generator would cost each message two promises more. */
function iterate<Each>(next: () => Promise<IteratorResult<Each, undefined>>): AsyncIterableIterator<Each> {
  const iterator: AsyncIterableIterator<Each> = {
    next,
    return: () => Promise.resolve(atEnd),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
