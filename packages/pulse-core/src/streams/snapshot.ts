import type { Source } from "./source.ts";

/** One stream, without its messages (STR-13). */
export interface StreamSnapshot {
  readonly key: string;
  /** The path of the writing node. */
  readonly path: string;
  readonly capacity: number;
  /** `pending` until it is opened. */
  readonly state: "pending" | "open" | "completed" | "failed" | "canceled";
  /** The sequence of the last message. */
  readonly sent: number;
  /** How many sends, and commits of handlers, wait for room. */
  readonly senders: number;
  /** While any waits: the groups that hold them back. */
  readonly heldBackBy: readonly string[];
  readonly groups: readonly GroupSnapshot[];
}

export interface GroupSnapshot {
  /** The name that its readers gave, else `/` and the reader's path; `host` for the host by default. */
  readonly name: string;
  /** The paths of its readers; empty for the host. */
  readonly readers: readonly string[];
  readonly state: "reading" | "ended" | "stopped";
  /** The highest sequence that was delivered. */
  readonly delivered: number;
  /** The highest sequence with nothing unacknowledged at or below it (STR-7). */
  readonly frontier: number;
  /** How many messages it has not acknowledged, delivered or not. */
  readonly pending: number;
  /** The paths of readers that wait for the writer; empty text for the host. */
  readonly waiting: readonly string[];
}

export function streamSnapshot(source: Source): StreamSnapshot {
  const { plan, capacity, senders, groups, last, end, opened } = source;
  const [blocked] = senders;
  return {
    key: plan.key.name,
    path: plan.path,
    capacity,
    state: end?.reason ?? (opened ? "open" : "pending"),
    sent: last,
    senders: senders.size,
    heldBackBy:
      blocked === undefined
        ? []
        : groups.filter((group) => !group.stopped && group.pending + blocked.need > capacity).map(({ name }) => name),
    groups: groups.map((group) => ({
      name: group.name,
      readers: group.members.map(({ path }) => path),
      state: group.reachedEnd ? "ended" : group.stopped ? "stopped" : "reading",
      delivered: group.next - 1,
      frontier: group.frontier,
      pending: group.pending,
      waiting: group.waiting,
    })),
  };
}
