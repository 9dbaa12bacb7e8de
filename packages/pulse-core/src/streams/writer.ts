import type { NodeContext } from "../run/node-context.ts";
import type { Account } from "./account.ts";
import { copyOf } from "./copy.ts";
import type { Confirming, SentMessage } from "./confirming.ts";
import { refuseHidden } from "./hidden.ts";
import type { WaitOptions } from "./reader.ts";
import type { Sender, Source } from "./source.ts";
import { giveBack, roomFor } from "./room.ts";
import { hindrance, quiet, refused, Waiter } from "./waiter.ts";
import type { Party } from "./waiter.ts";

/** The writer of a stream; `context.open` gives it (STR-38). The stream ends with the node's chain, and never before (STR-4). */
export interface StreamWriter<Element, Position = unknown> {
  /**
   * Appends one message. Settles with `true` when it is accepted, with `false` when no group reads any more: then nothing is
   * stored and no sequence used (STR-36). Waits while the slowest group holds `capacity` messages unacknowledged (STR-3).
   * Sends are accepted in the order in which they were called.
   * @throws PULSE_INTERRUPTED when the node is interrupted, the reason of `signal` when that is aborted (nothing was sent then),
   * PULSE_USAGE after the chain has ended, and for a value that hides a stream (STR-14)
   */
  send(value: Element, options?: WaitOptions): Promise<boolean>;
  /** As `send`, and saves the writer's position in its own source with the message (STR-2). */
  sendAt(position: Position, value: Element, options?: WaitOptions): Promise<boolean>;
  /** The position that was saved last, by an earlier try of this node too; `undefined` if none was. */
  position(): Position | undefined;
  /** Nobody reads any more: `send` will store nothing (STR-9). */
  readonly stopped: boolean;
  /** Aborted when nobody reads any more, for a producer that is costly (STR-9). Made when it is first read. */
  readonly stopSignal: AbortSignal;
}

const accepted = Promise.resolve(true);
const unread = Promise.resolve(false);

/** A node's writer, for one level of its chain. */
export class Writer implements StreamWriter<unknown>, Party {
  readonly source: Source;
  readonly level: NodeContext;
  readonly path: string;
  readonly waits: { count: number };

  constructor(source: Source, account: Account, level: NodeContext) {
    this.source = source;
    this.level = level;
    this.path = level.path;
    this.waits = account.waits;
  }

  // Functions, so that a body may take the writer apart.

  readonly send = (value: unknown, options?: WaitOptions): Promise<boolean> =>
    this.give(value, undefined, options?.signal);

  readonly sendAt = (position: unknown, value: unknown, options?: WaitOptions): Promise<boolean> =>
    this.give(value, { position: copyOf(position) }, options?.signal);

  readonly position = (): unknown => copyOf(this.level.execution.reveal(this.source.position));

  private give(
    value: unknown,
    at: { readonly position: unknown } | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { source } = this;
    const { confirming } = source;
    const isLive = confirming !== undefined;
    const hindered = hindrance(this, signal) ?? refuseHidden(this.path, source.plan.key.name, value, isLive);
    if (hindered !== undefined) return refused(hindered.error);
    if (source.stopped) return unread;
    if (confirming !== undefined) return quiet(this.confirmed(confirming, { value, at }, signal));
    if (source.senders.size === 0 && source.hasRoom(1)) {
      accept(source, value, at);
      return accepted;
    }
    const waiter = new Waiter<boolean>(this, signal, () => source.senders.delete(sender));
    const sender: Sender = {
      waiter,
      need: 1,
      enter: () => {
        const { stopped } = source;
        if (!stopped) accept(source, value, at);
        waiter.settle(!stopped);
        return true;
      },
    };
    source.senders.add(sender);
    return waiter.promise;
  }

  /** The message has room from before it is confirmed; those that wait for room ask in the order of their sends. */
  private async confirmed(
    confirming: Confirming,
    sent: SentMessage,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { source, level } = this;
    const message = confirming.prepareMessage(source.plan.key, sent, this.path);
    const waits = source.senders.size > 0 || source.entering > 0 || !source.hasRoom(1);
    if (waits) {
      if (!(await roomFor(source, this, 1, signal))) return false;
      // Between the step in which there was room and this one the chain may have ended: its commit has been asked for (STR-4).
      const hindered = hindrance(this, undefined);
      if (hindered !== undefined) {
        giveBack(source, 1);
        throw hindered.error;
      }
    }
    if (!waits) source.reserved++;
    const appended = confirming.append(source, level, message, sent);
    if (waits) source.entered();
    return await appended;
  }

  get stopped(): boolean {
    return this.source.stopped;
  }

  get stopSignal(): AbortSignal {
    return this.source.stopSignal;
  }
}

function accept(source: Source, value: unknown, at: { readonly position: unknown } | undefined): void {
  if (at !== undefined) source.position = at.position;
  source.append(value);
}
