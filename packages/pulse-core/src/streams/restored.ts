import type { RestoredStream } from "../checkpoint/stream-hooks.ts";
import { Confirmed } from "../run/slot.ts";
import type { Source } from "./source.ts";

/**
 * Makes a source what the record says of it: its last sequence and position, each group's account, its end (STR-22, STR-23).
 * A rest above capacity is kept; whoever sends waits until it has shrunk (STR-3). Wakes nobody and tells no observer.
 */
export function restoreSource(source: Source, stream: RestoredStream): void {
  const { sourceId, generation, last, position, end, groups, messages } = stream;
  source.ref = { sourceId, generation };
  source.opened = true;
  source.startAfter(last);
  source.position = position && new Confirmed(position);
  const held = new Map(messages.map(({ sequence, read }) => [sequence, new Confirmed(read)]));
  for (const { name, pending, stopped } of groups) {
    const group = source.groupNamed(name);
    group.stopped = stopped;
    if (!stopped) group.restore(pending.map((sequence) => ({ sequence, held: held.get(sequence) })));
  }
  // Of a failure only that it was is known after a resume (CKPT-32).
  if (end !== "open") source.end = { reason: end };
}
