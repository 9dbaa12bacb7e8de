import type { RestoredStream } from "../checkpoint/stream-hooks.ts";
import { Confirmed } from "../run/slot.ts";
import type { Source } from "./source.ts";

/**
 * Makes a source what the record says of it: its last sequence and position, each group's account, its end (STR-22, STR-23).
 * A rest above capacity is kept; whoever sends waits until it has shrunk (STR-3). Tells no observer; only the host can be
 * waiting already, for a stream that is restored with a mount.
 */
export function restoreSource(source: Source, stream: RestoredStream): void {
  const { sourceId, generation, last, position, end, groups, messages } = stream;
  source.ref = { sourceId, generation };
  source.opened = true;
  source.position = position && new Confirmed(position);
  const held = new Map(messages.map(({ sequence, read }) => [sequence, new Confirmed(read)]));
  const accounts = groups.map(({ name, pending, stopped }) => {
    const tail = stopped ? 0 : tailOf(pending, last);
    return {
      group: source.groupNamed(name),
      recorded: stopped,
      next: last + 1 - tail,
      before: pending.slice(0, pending.length - tail),
    };
  });
  const first = accounts.reduce((lowest, { next }) => Math.min(lowest, next), last + 1);
  const buffered = Array.from({ length: last + 1 - first }, (_, at) => held.get(first + at));
  source.startFrom(first, buffered);
  // One that the record does not know has nothing to read.
  for (const group of source.groups) group.restore(last + 1, []);
  for (const { group, recorded, next, before } of accounts) {
    group.stopsEarly &&= !recorded;
    group.stopped = recorded || group.stopsEarly;
    if (!group.stopped)
      group.restore(
        next,
        before.map((sequence) => ({ sequence, held: held.get(sequence) })),
      );
  }
  // Of a failure only that it was is known after a resume (CKPT-32).
  if (end !== "open") source.end = { reason: end };
  for (const group of source.groups) group.wake();
}

/** How many of the last messages follow each other up to the stream's last: those may never have been delivered. */
function tailOf(pending: readonly number[], last: number): number {
  let tail = 0;
  while (tail < pending.length && pending[pending.length - 1 - tail] === last - tail) tail++;
  return tail;
}

/** How a further word of the record about a stream differs from its source here, if it does (STR-12). */
export function differenceOf(source: Source, { generation, path, key, end }: RestoredStream): string | undefined {
  const { plan, ref } = source;
  if (plan.path !== path || plan.key.name !== key)
    return `its source is known as stream "${plan.key.name}" of "${plan.path}"`;
  if (ref?.generation !== generation) return `its generation is ${generation}, and ${ref?.generation} elsewhere`;
  const known = source.end?.reason;
  // An end may be confirmed in the moment between: only two ends can differ.
  if (end === "open" || known === undefined || known === "canceled" || known === end) return undefined;
  return `it is ${end}, and ${known} elsewhere`;
}
