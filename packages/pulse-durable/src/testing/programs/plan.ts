import { seeded } from "../random.ts";
import type { Random } from "../random.ts";

/** A reader of a stream: a node in so many mounts, or the host. */
export interface ReaderPlan {
  readonly id: string;
  /** Mounts around the node; in each the stream has another name. */
  readonly depth: number;
  /** Shared with another reader; absent: a group of its own. */
  readonly group?: string;
  /** Messages that it holds unacknowledged at most. */
  readonly heldMax: number;
  /** Tries of the node in all. */
  readonly limit: number;
  /** After how many steps each of its tries fails; the last one does not, or the run fails. */
  readonly fails: readonly (number | undefined)[];
  /** How likely each step is a stop. */
  readonly stops: number;
}

/** A node that handles messages, keeps their count and sum as its state, and sends on. */
export interface HandlerPlan {
  readonly depth: number;
  /** Tries of a message in all. */
  readonly limit: number;
  /** How many tries fail, by sequence; as many as `limit` end the run. */
  readonly failing: ReadonlyMap<number, number>;
  /** The message in whose transaction it leaves the stream. */
  readonly stopAt?: number;
  /** The message in whose transaction it contributes the sum as a plain value. */
  readonly contributeAt: number;
  /** How often the body fails after it has handled all. */
  readonly failsAfterwards: number;
  readonly copyReaders: readonly ReaderPlan[];
}

/** What ends one process. `at` counts fault points of hooks and saves, `after` microtasks from the start. */
export type Disturbance =
  | { readonly kind: "crash"; readonly at: number }
  | { readonly kind: "throw"; readonly at: number }
  | { readonly kind: "cancel"; readonly after: number };

export interface ProgramPlan {
  readonly seed: number;
  readonly capacity: number;
  readonly messages: number;
  readonly writer: {
    readonly depth: number;
    /** Before which position each of its tries fails. */
    readonly fails: readonly (number | undefined)[];
    /** How likely a send is cancelled. */
    readonly cancels: number;
  };
  readonly readers: readonly ReaderPlan[];
  readonly handler?: HandlerPlan;
  readonly host?: ReaderPlan;
  /** Of the first processes; those that come after are left alone. */
  readonly disturbances: readonly Disturbance[];
}

/** How many copies a handler sends of a message. */
export const copiesOf = (sequence: number): number => sequence % 3;

/** A reader that waits for more holds one at most, so a message's copies always have room in the end (STR-42). */
export const copyCapacity = 3;
const copiesHeldMax = 2;

const fates = (random: Random, tries: number, below: number, fatal: number) =>
  Array.from({ length: tries }, (_, at) => {
    const failing = at < tries - 1 ? random.chance(0.6) : random.chance(fatal);
    return failing ? random.below(below) : undefined;
  });

function readerPlan(random: Random, id: string, capacity: number, group?: string): ReaderPlan {
  const limit = 1 + random.below(3);
  return {
    id,
    depth: random.chance(0.4) ? 1 + random.below(2) : 0,
    ...(group === undefined ? {} : { group }),
    // Two readers that share a group and wait while they hold all of its capacity would wait for ever (STR-42).
    heldMax: group === undefined ? capacity : Math.max(1, capacity >> 1),
    limit,
    fails: fates(random, limit, 8, 0.02),
    stops: random.chance(0.15) ? 0.15 : 0,
  };
}

function handlerPlan(random: Random, messages: number): HandlerPlan {
  const limit = 1 + random.below(3);
  const failing = new Map<number, number>();
  for (let sequence = 1; sequence <= messages; sequence++)
    if (random.chance(0.3)) failing.set(sequence, random.chance(0.03) ? limit : random.below(limit));
  const copyReaders = ["x", "y"].slice(0, 1 + random.below(2)).map((id) => readerPlan(random, id, copiesHeldMax));
  return {
    depth: random.chance(0.4) ? 1 + random.below(2) : 0,
    limit,
    failing,
    ...(random.chance(0.1) ? { stopAt: 1 + random.below(messages + 1) } : {}),
    contributeAt: 1 + random.below(messages + 1),
    failsAfterwards: random.chance(0.2) ? 1 : 0,
    copyReaders,
  };
}

function disturbance(random: Random): Disturbance {
  const kind = random.pick(["crash", "crash", "crash", "throw", "cancel"] as const);
  // Early and late ones: few programs reach 300 points.
  const at = 1 + random.below(random.pick([20, 60, 150, 300]));
  return kind === "cancel" ? { kind, after: at } : { kind, at };
}

/** Pure: the same seed is the same program on every machine. */
export function planOf(seed: number): ProgramPlan {
  const random = seeded(seed);
  const capacity = 1 + random.below(4);
  const messages = random.below(12);
  const shared = random.chance(0.3);
  const readers = ["a", "b", "c"]
    .slice(0, random.below(4))
    .map((id) => readerPlan(random, id, capacity, shared && id !== "c" ? "shared" : undefined));
  const handler = readers.length === 0 || random.chance(0.6) ? handlerPlan(random, messages) : undefined;
  const host = random.chance(0.3) ? readerPlan(random, "host", capacity, "host") : undefined;
  return {
    seed,
    capacity,
    messages,
    writer: {
      depth: random.chance(0.4) ? 1 + random.below(2) : 0,
      fails: fates(random, 1 + random.below(3), messages + 1, 0.04),
      cancels: random.chance(0.5) ? 0.2 : 0,
    },
    readers,
    ...(handler === undefined ? {} : { handler }),
    ...(host === undefined ? {} : { host }),
    disturbances: Array.from({ length: random.below(5) }, () => disturbance(random)),
  };
}
