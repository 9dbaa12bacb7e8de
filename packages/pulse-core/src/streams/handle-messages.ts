import type { AnyKey, Key } from "../key.ts";
import { countProblem, unknownProblems } from "../option-check.ts";
import { invalid } from "../invalid.ts";
import { isSkip } from "../run/is-skip.ts";
import type { NodeContext } from "../run/node-context.ts";
import { usage } from "../run/signals.ts";
import type { KeyType, ValueOfType } from "../type.ts";
import type { Account } from "./account.ts";
import { copyOf } from "./copy.ts";
import type { Delivery } from "./delivery.ts";
import { HandledStream } from "./handled.ts";
import type { Handled } from "./handled.ts";
import { Reader } from "./reader.ts";
import type { StreamReader } from "./reader.ts";
import { outdated, Staged } from "./staged.ts";
import { recordedTries, triesInMemory } from "./message-tries.ts";
import type { MessageTries, TriedMessage } from "./message-tries.ts";
import type { StreamKey } from "./stream-key.ts";

/** How often a message is tried unless `limit` says so. */
export const messageLimitDefault = 1;

/** How many messages and plain values one handler may stage unless `maxStaged` says so. */
export const maxStagedDefault = 64;

/** What a handler gets: one message. */
export interface Message<Element> {
  readonly value: Element;
  /** From 1, without gaps (STR-2). */
  readonly sequence: number;
}

/** What a handler does with a message becomes true together, or not at all (STR-15). Dead once the handler has settled. */
export interface MessageContext<State = unknown> {
  /** This message's try, from 1. */
  readonly attempt: number;
  /** Aborted when the node is. */
  readonly signal: AbortSignal;
  /**
   * Stable over the message's tries, over crashes and resumes, and another for each message: to be given to what must not do
   * the same twice (DUR-25).
   */
  readonly idempotencyKey: string;
  /** The node's explicit state (STR-18). */
  readonly state: MessageState<State>;
  /** Writes a plain key that the node provides; it is visible when the node has ended (STR-19). */
  set<Value>(key: Key<string, Value, unknown>, value: NoInfer<Value>): void;
  /** Skips a plain key that the node provides. */
  skip(key: AnyKey): void;
  /** Sends on a stream that the node provides, and opens it if need be. More than its capacity is refused (STR-17). */
  send<Element>(key: StreamKey<string, Element>, value: NoInfer<Element>): void;
  /** As `send`, and saves the writer's position with the message (STR-2). */
  sendAt<Element, Position>(
    key: StreamKey<string, Element, Position>,
    position: NoInfer<Position>,
    value: NoInfer<Element>,
  ): void;
  /** Stops the stream that is read, as part of the same transaction (STR-20). */
  stop(): void;
}

export interface MessageState<State> {
  /** A fresh copy; `undefined` while nothing was set. */
  get(): State | undefined;
  /** Replaces the whole state by a copy of `next`. A failed try takes it back. */
  set(next: State): void;
}

export interface HandleOptions<StateType extends KeyType> {
  /** How many tries a message has in all; default {@link messageLimitDefault}. No retry refills it (STR-39). */
  readonly limit?: number;
  /** How many messages and plain values one handler may stage; default {@link maxStagedDefault} (STR-17). */
  readonly maxStaged?: number;
  /** The type of the state: of its TypeScript type and, in a durable run, of its codec. Default: `unknown`, any plain data. */
  readonly state?: StateType;
}

/**
 * Runs the handler for each message, one after the other, as a finite transaction: acknowledgement, state, plain values and
 * sent messages become true together when it returns (STR-15). A handler that throws publishes nothing and is tried again, up
 * to `limit` times; then the node fails, whatever its body or its aspects make of it (STR-16). Resolves at the end of the
 * stream, or after its stop, with what the body returns for each plain key that its handlers write:
 * `return { total: await handleMessages(reader, …) }`; one that none has written is skipped. It has the last `state` as well:
 * what is made of that at the end is an ordinary result. What a handler did outside, or to variables around it, is not taken back (STR-47).
 * @throws what the handler threw last; PULSE_STREAM_FAILED or PULSE_STREAM_CANCELED when the stream ended so (STR-43);
 * PULSE_INVALID for options that are none; PULSE_USAGE for a reader that is not the node's own
 */
export async function handleMessages<Element, StateType extends KeyType = KeyType>(
  reader: StreamReader<Element>,
  handler: (message: Message<Element>, context: MessageContext<ValueOfType<StateType>>) => void | Promise<void>,
  options: HandleOptions<StateType> = {},
): Promise<Handled<ValueOfType<StateType>>> {
  const { limit = messageLimitDefault, maxStaged = maxStagedDefault } = options;
  const messages = [
    ...unknownProblems(options, ["limit", "maxStaged", "state"]),
    countProblem("limit", limit),
    countProblem("maxStaged", maxStaged),
  ].filter((message) => message !== undefined);
  if (messages.length > 0)
    throw invalid(
      "handleMessages",
      messages.map((message) => ({ code: "PULSE_OPTION_INVALID", path: "handleMessages", message })),
    );
  const own: unknown = reader;
  if (!(own instanceof Reader) || own.account === undefined)
    throw usage("STR-15", "handleMessages takes the reader of a node; give the one that the body was given");
  const { account } = own;
  const handling: Handling = { limit, maxStaged, stateType: options.state };
  for (;;) {
    const delivery = await own.receive();
    // The casts hold as the reader is the typed one, and its state is what this handler has set.
    if (delivery === undefined) return (await handledBy(own, account, handling)) as Handled<ValueOfType<StateType>>;
    await handle(own, account, delivery, handler as Handler, handling);
  }
}

/** The state after the last message is that of the one which would come next. */
async function handledBy(reader: Reader, account: Account, handling: Handling): Promise<unknown> {
  const { member } = reader;
  const tries = triesOf(account, { member, sequence: member.group.source.last + 1 }, handling);
  const begun = await tries.begin(reader.level as NodeContext);
  if ("exhausted" in begun) throw begun.exhausted;
  return new HandledStream(begun.state && copyOf(begun.state.value));
}

function triesOf(account: Account, message: TriedMessage, { limit, stateType }: Handling): MessageTries {
  const { confirming } = message.member.group.source;
  return confirming === undefined
    ? triesInMemory(account, message, limit)
    : recordedTries(confirming, account, message, limit, stateType);
}

interface Handling {
  readonly limit: number;
  readonly maxStaged: number;
  readonly stateType: KeyType | undefined;
}

type Handler = (message: Message<unknown>, context: MessageContext) => void | Promise<void>;

/** Tries one message until it is committed or its budget is used up. */
async function handle(
  reader: Reader,
  account: Account,
  delivery: Delivery,
  handler: Handler,
  handling: Handling,
): Promise<void> {
  const { limit, maxStaged } = handling;
  const { value, sequence } = delivery;
  const tries = triesOf(account, delivery, handling);
  for (;;) {
    // The level may change with the next try of a retry around this; a late body stays with its own.
    const level = reader.level as NodeContext;
    const { stateMoves } = account;
    const begun = await tries.begin(level);
    if ("exhausted" in begun) failForGood(account, level, begun.exhausted);
    const staged = new Staged(reader, account, level, delivery, maxStaged, begun, stateMoves);
    let commit: () => Promise<void>;
    try {
      await handler({ value, sequence }, staged.context);
      staged.close();
      if (staged.violation !== undefined) throw staged.violation.error;
      commit = tries.committing(staged);
    } catch (error) {
      staged.close();
      // Interrupted, given up, or skipped as a whole: no try of the message has failed.
      if (level.aborted || level.closed || isSkip(error)) throw error;
      await tries.fail(level, begun, error);
      level.tell({ kind: "attempt-failed", attempt: begun.attempt, error });
      if (begun.attempt >= limit) failForGood(account, level, error);
      continue;
    }
    try {
      await commit();
      return;
    } catch (error) {
      if (error !== outdated) throw error;
    }
  }
}

/** The node fails with this, whatever its chain makes of it: no retry of its own runs it again (STR-16, STR-39). */
function failForGood(account: Account, level: NodeContext, error: unknown): never {
  account.failure = { thrown: error };
  // Closed as a whole: nothing more is taken from it.
  level.root.close();
  throw error;
}
