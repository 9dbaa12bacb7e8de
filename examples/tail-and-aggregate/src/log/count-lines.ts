import type { MinuteCounts, StatusCounts, Tally } from "../values.ts";
import { readAccessLine } from "./access-line.ts";

export const nothingCounted: Tally = { lines: 0, unread: 0 };

export interface Counted {
  readonly tally: Tally;
  /** Minutes that these lines have ended, in their order. */
  readonly ended: readonly MinuteCounts[];
}

/** Counts lines on top of what was counted before. Only paths that begin with `prefix` are counted. Pure. */
export function countLines(before: Tally, lines: readonly string[], prefix: string): Counted {
  const ended: MinuteCounts[] = [];
  let { open, unread } = before;
  for (const line of lines) {
    const read = readAccessLine(line);
    if (read === undefined) unread += 1;
    else if (read.path.startsWith(prefix)) {
      if (open !== undefined && open.minute !== read.minute) {
        ended.push(open);
        open = undefined;
      }
      const { minute, status } = read;
      const counts = open?.counts ?? {};
      open = { minute, counts: { ...counts, [status]: (counts[status] ?? 0) + 1 } };
    }
  }
  const tally = { lines: before.lines + lines.length, unread, ...(open !== undefined && { open }) };
  return { tally, ended };
}

/** Adds up the parts of each minute; ascending by minute, and by status within it. Pure. */
export function addUp(parts: readonly MinuteCounts[]): MinuteCounts[] {
  const minutes = new Map<string, Map<string, number>>();
  for (const { minute, counts } of parts) {
    const sum = minutes.get(minute) ?? new Map<string, number>();
    minutes.set(minute, sum);
    for (const [status, times] of Object.entries(counts)) sum.set(status, (sum.get(status) ?? 0) + times);
  }
  return [...minutes]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([minute, sum]) => ({ minute, counts: sorted(sum) }));
}

const sorted = (sum: ReadonlyMap<string, number>): StatusCounts =>
  Object.fromEntries([...sum].toSorted(([one], [other]) => (one < other ? -1 : 1)));
