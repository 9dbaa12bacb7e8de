import type { MessageAttempt } from "../checkpoint/stream-hooks.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { KeyType } from "../type.ts";
import type { Account } from "./account.ts";
import { commitMessage } from "./commit-message.ts";
import { confirmMessage, prepareStaged } from "./confirm-message.ts";
import { refOf } from "./confirming.ts";
import type { Confirming } from "./confirming.ts";
import type { Delivery } from "./delivery.ts";
import type { MessageTry, Staged } from "./staged.ts";
import { exhaustedMessageError } from "./stream-errors.ts";
import { hindrance } from "./waiter.ts";

/** The budget of one message, and what it comes to (STR-16, STR-24). */
export interface MessageTries {
  /** Begins the next try; what the node fails with when the budget is used up already. */
  begin(level: NodeContext): Promise<MessageTry | { readonly exhausted: Error }>;
  /** Notes that a try has failed: only when this has settled may the next one begin. */
  fail(level: NodeContext, begun: MessageTry, error: unknown): Promise<void>;
  /** Fixes in this step what is staged; what it throws is a failure of the try. Gives what makes it true. */
  committing(staged: Staged): () => Promise<void>;
}

/** Which message is tried. */
export type TriedMessage = Pick<Delivery, "member" | "sequence">;

/** Kept with the node, over the tries of its chain (STR-39). */
export function triesInMemory(account: Account, { member, sequence }: TriedMessage, limit: number): MessageTries {
  const budget = `${member.key} ${sequence}`;
  const failed = (): number => account.failedTries.get(budget) ?? 0;
  return {
    begin: () => Promise.resolve({ attempt: failed() + 1, limit, state: account.state }),
    fail: (_, { attempt }) => {
      account.failedTries.set(budget, attempt);
      return Promise.resolve();
    },
    committing: (staged) => async () => {
      await commitMessage(staged);
      account.failedTries.delete(budget);
    },
  };
}

/** Kept in the record (STR-24). */
export function recordedTries(
  confirming: Confirming,
  account: Account,
  { member, sequence }: TriedMessage,
  limit: number,
  stateType: KeyType | undefined,
): MessageTries {
  const { group } = member;
  const asking = (level: NodeContext) => ({
    ...refOf(group.source),
    group: group.name,
    sequence,
    scope: level.execution.scope,
    nodeId: level.node.id,
    path: level.path,
    attempt: level.root.attemptId,
    limit,
    stateType,
  });
  const recorded = (confirmed: Promise<void>): Promise<void> => {
    account.recording = settledAfter(account.recording, confirmed);
    return confirmed;
  };
  return {
    async begin(level) {
      // Of a try of the node that was given up: what it comes to is part of the state and of the budget (STR-39).
      await account.recording;
      const hindered = hindrance({ level, path: level.path, waits: undefined }, undefined);
      if (hindered !== undefined) throw hindered.error;
      const attempt = await confirming.ask("streams.openMessage", { level }, async (covered) =>
        checkedAttempt(
          await confirming.asked.openMessage({
            ...asking(level),
            get signal() {
              return covered.signal;
            },
          }),
        ),
      );
      if (attempt.exhausted) return { exhausted: exhaustedMessageError(level.path, member.key, sequence, limit) };
      const { index, state } = attempt;
      return { attempt: index, limit, state: state && { value: level.execution.readConfirmed(state) } };
    },
    async fail(level, { attempt: index }, error) {
      const { execution, path } = level;
      // After the stop no failure is confirmed: the try stays active (CKPT-34).
      if (execution.stop !== undefined) throw error;
      await recorded(
        confirming.ask("streams.failMessage", { above: execution, path }, (covered) =>
          confirming.asked.failMessage({
            ...asking(level),
            index,
            error,
            get signal() {
              return covered.signal;
            },
          }),
        ),
      );
    },
    committing(staged) {
      const prepared = prepareStaged(staged, confirming, stateType);
      return () => recorded(confirmMessage(staged, confirming, prepared));
    },
  };
}

/** Settles when both have, with nothing: a chain of results would grow with each message. */
async function settledAfter(before: Promise<void> | undefined, confirmed: Promise<void>): Promise<void> {
  await before;
  await confirmed.catch(() => {});
}

function checkedAttempt(attempt: MessageAttempt): MessageAttempt {
  const { index, exhausted, state } = attempt ?? {};
  if (Number.isSafeInteger(index) && typeof exhausted === "boolean" && ["undefined", "function"].includes(typeof state))
    return attempt;
  throw new TypeError(
    "streams.openMessage gave back no attempt: index and exhausted are needed, and a state that is read",
  );
}
