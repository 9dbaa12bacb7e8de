import type { Sender, Source } from "./source.ts";
import { Waiter } from "./waiter.ts";
import type { Party } from "./waiter.ts";

/**
 * Waits until so many messages have room, and reserves it. `false`: nobody reads any more, and nothing is reserved. The call
 * that the room is for is made by whoever waited, in its own async context (CKPT-33); it then calls `entered`, which lets in
 * those behind it.
 */
export async function roomFor(
  source: Source,
  party: Party,
  need: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let hasRoom = false;
  const waiter = new Waiter<boolean>(party, signal, () => source.senders.delete(sender));
  const sender: Sender = {
    waiter,
    need,
    enter: () => {
      hasRoom = !source.stopped;
      if (hasRoom) {
        source.reserved += need;
        source.entering++;
      }
      waiter.settle(hasRoom);
      return true;
    },
  };
  source.senders.add(sender);
  // There may be room: it had to stand behind others that have theirs.
  if (source.entering === 0) source.pump();
  try {
    return await waiter.promise;
  } catch (error) {
    if (hasRoom) giveBack(source, need);
    throw error;
  }
}

/** Gives back the room that was waited for, before anything was asked for it. */
export function giveBack(source: Source, need: number): void {
  source.reserved -= need;
  source.entered();
}
