import type { HandledMessage, PreparedMessage, StreamCommitted } from "../checkpoint/stream-hooks.ts";
import type { AnyKey } from "../key.ts";
import { Confirmed, ready, skippedState } from "../run/slot.ts";
import { openSends, refusalOf, roomForAll } from "./commit-message.ts";
import type { Send } from "./commit-message.ts";
import { giveBack } from "./room.ts";
import { refOf } from "./confirming.ts";
import type { Confirming } from "./confirming.ts";
import type { Staged } from "./staged.ts";
import { hindrance } from "./waiter.ts";

/** What a handler staged, encoded: nothing can change it any more (CKPT-28). */
export interface PreparedStage {
  readonly values: HandledMessage["values"];
  readonly state: { readonly value: unknown } | undefined;
  readonly messages: ReadonlyMap<AnyKey, readonly PreparedMessage[]>;
}

/** Encodes all that is staged, in one step. What it throws is a failure of the message's try. */
export function prepareStaged(staged: Staged, confirming: Confirming, stateType: HandledStateType): PreparedStage {
  const { level, values, messages, state, stateSet } = staged;
  const { path, execution } = level;
  const preparedValues = [...values].map(([slot, { state: written, value }]): HandledMessage["values"][number] => {
    const key = execution.compiled.keys[slot] as AnyKey;
    if (written !== ready) return { key, state: "skipped" };
    return { key, state: "ready", value: confirming.prepare({ kind: "value", key, value }, path) };
  });
  const preparedMessages = [...messages].map(
    ([key, sent]) => [key, sent.map((message) => confirming.prepareMessage(key, message, path))] as const,
  );
  const next = stateSet && state !== undefined ? state.value : undefined;
  return {
    values: preparedValues,
    messages: new Map(preparedMessages),
    state: stateSet ? { value: confirming.prepare({ kind: "state", type: stateType, value: next }, path) } : undefined,
  };
}

/** The type that a handler gave for its state. */
export type HandledStateType = Extract<Parameters<Confirming["prepare"]>[0], { kind: "state" }>["type"];

/** Has a handler's transaction confirmed as a whole, and makes it true then (STR-15, REC-14). */
export async function confirmMessage(staged: Staged, confirming: Confirming, prepared: PreparedStage): Promise<void> {
  const sends = await openSends(staged);
  const problem = hindranceOf(staged);
  if (problem !== undefined) throw problem.error;
  const entered = await reserveAll(staged, sends);
  // Between the step in which there was room and this one the try may have ended, and its message be another's (STR-46).
  const late = entered ? hindranceOf(staged) : undefined;
  if (late !== undefined) {
    for (const { source, messages } of sends) giveBack(source, messages.length);
    throw late.error;
  }
  const { delivery, level } = staged;
  let answer: StreamCommitted | undefined;
  if (staged.stateSet) staged.account.stateMoves++;
  const asked = confirming.handled(delivery, level, {
    stop: staged.stops,
    handled: handledOf(staged, sends, prepared),
  });
  if (entered) for (const { source } of sends) source.entered();
  try {
    await delivery.settle(asked.then((committed) => void (answer = committed)));
  } finally {
    for (const { source, messages } of sends) source.reserved -= messages.length;
    if (answer === undefined) for (const { source } of sends) source.pump();
  }
  if (answer !== undefined) apply(staged, sends, answer);
}

/** Reserves the room of all messages; whether it had to wait for it. */
async function reserveAll(staged: Staged, sends: readonly Send[]): Promise<boolean> {
  const reserve = (): undefined => {
    for (const { source, messages } of sends) source.reserved += messages.length;
  };
  const full = sends.find(
    ({ source, messages }) => source.senders.size > 0 || source.entering > 0 || !source.hasRoom(messages.length),
  );
  if (full === undefined) {
    reserve();
    return false;
  }
  let isIn = false;
  const waiting = roomForAll(staged, sends, full, () => {
    isIn = true;
    for (const { source } of sends) source.entering++;
    return reserve();
  });
  if (full.source.entering === 0) full.source.pump();
  try {
    return await waiting;
  } catch (error) {
    if (isIn) for (const { source, messages } of sends) giveBack(source, messages.length);
    throw error;
  }
}

/** What keeps the transaction from being confirmed, if anything does. */
function hindranceOf(staged: Staged): { readonly error: unknown } | undefined {
  const { level } = staged;
  const hindered = hindrance({ path: level.path, level, waits: undefined }, undefined);
  if (hindered !== undefined) return hindered;
  const refusal = refusalOf(staged);
  return refusal === undefined ? undefined : { error: refusal };
}

function handledOf({ level, begun }: Staged, sends: readonly Send[], prepared: PreparedStage): HandledMessage {
  const { execution, node } = level;
  const { values, state, messages } = prepared;
  return {
    scope: execution.scope,
    nodeId: node.id,
    attempt: level.root.attemptId,
    index: begun.attempt,
    limit: begun.limit,
    ...(state === undefined ? {} : { state }),
    values,
    sends: sends.map(({ source }) => {
      const { key } = source.plan;
      return { ...refOf(source), key, messages: messages.get(key) ?? [] };
    }),
  };
}

/** What the hook gave back, not what was written (CKPT-36). */
function apply({ account, level, delivery, stops }: Staged, sends: readonly Send[], answer: StreamCommitted): void {
  const { slotOf } = level.execution.compiled;
  for (const output of answer.values) {
    const slot = slotOf.get(output.name);
    if (slot === undefined) continue;
    if (output.state === "ready") account.contributed.set(slot, { state: ready, value: new Confirmed(output.read) });
    else account.contributed.set(slot, { state: skippedState, value: undefined });
  }
  for (const [at, { source, messages }] of sends.entries()) {
    const confirmed = answer.sends[at];
    // Nobody reads it any more: nothing was stored (STR-36).
    if (confirmed === undefined) continue;
    for (const [index, message] of confirmed.entries()) source.accept(message, messages[index]?.at);
  }
  if (stops) delivery.member.group.stop();
}
