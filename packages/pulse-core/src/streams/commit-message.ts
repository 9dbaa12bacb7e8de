import type { SentMessage } from "./confirming.ts";
import type { Source } from "./source.ts";
import { outdated } from "./staged.ts";
import type { Staged } from "./staged.ts";
import { hindrance, Waiter } from "./waiter.ts";
import type { Writer } from "./writer.ts";

/** What is staged for one stream. */
export interface Send {
  readonly source: Source;
  readonly messages: readonly SentMessage[];
}

/** Opens the streams that a handler sends on. */
export async function openSends({ level, messages: all }: Staged): Promise<readonly Send[]> {
  const sends: Send[] = [];
  for (const [key, messages] of all) {
    const writer = (await level.open(key)) as Writer;
    sends.push({ source: writer.source, messages });
  }
  return sends;
}

/** Makes all that is staged true in one step, in memory, once its messages fit (STR-17). */
export async function commitMessage(staged: Staged): Promise<void> {
  const sends = await openSends(staged);
  const hindered = hindrance(staged.reader, undefined);
  if (hindered !== undefined) throw hindered.error;
  const full = sends.find(({ source, messages }) => source.senders.size > 0 || !source.hasRoom(messages.length));
  const refusal = refusalOf(staged);
  if (refusal !== undefined) throw refusal;
  if (full === undefined) apply(staged, sends);
  else
    await roomForAll(staged, sends, full, () => {
      const refused = refusalOf(staged);
      if (refused !== undefined) return { error: refused };
      apply(staged, sends);
      return undefined;
    });
}

/** What keeps the transaction from becoming true, if anything does. */
export const refusalOf = (staged: Staged): unknown =>
  staged.delivery.refusal() ?? (staged.isOutdated ? outdated : undefined);

/** Waits until all messages fit, and lets `enter` take the room in that step; what it returns fails the wait. */
export function roomForAll(
  { reader }: Staged,
  sends: readonly Send[],
  first: Send,
  enter: () => { readonly error: unknown } | undefined,
): Promise<boolean> {
  let at = first;
  const waiter = new Waiter<boolean>(reader, undefined, () => at.source.senders.delete(sender));
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
      const refused = enter();
      if (refused === undefined) waiter.settle(true);
      else waiter.fail(refused.error);
      return true;
    },
  };
  first.source.senders.add(sender);
  return waiter.promise;
}

function apply({ account, delivery, values, state, stateSet, stops }: Staged, sends: readonly Send[]): void {
  if (stateSet) {
    account.state = state;
    account.stateMoves++;
  }
  for (const [slot, write] of values) account.contributed.set(slot, write);
  delivery.acknowledge();
  for (const { source, messages } of sends) {
    // Nobody reads it any more: as `send`, it stores nothing then (STR-36).
    if (source.stopped) continue;
    for (const { value, at } of messages) {
      if (at !== undefined) source.position = at.position;
      source.append(value);
    }
  }
  if (stops) delivery.member.group.stop();
}
