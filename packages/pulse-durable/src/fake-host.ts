import type { Host } from "@pulse-ts/core";

/** A host whose time moves only when a test says so, and whose randomness comes from a seed (DUR-17). */
export interface FakeHost extends Host {
  /** Timers that are armed now. */
  readonly armed: number;
  /**
   * Moves the clock by `ms` milliseconds and fires what falls due on the way, in order of time. After each timer
   * everything that it set off and that needs no timer has settled.
   */
  advance(ms: number): Promise<void>;
  /** Moves the clock to the timer that is due next and fires it, as `advance` does; false when none is armed. */
  step(): Promise<boolean>;
  /**
   * Moves the clock from timer to timer until none is armed.
   * @throws Error after {@link timersMax} timers: something arms them for ever
   */
  runAll(): Promise<void>;
}

export interface FakeHostOptions {
  /** Decides randomness, ids and, when shuffled, the order of ready nodes. Default 1. */
  readonly seed?: number;
  /** Lets the seed decide which of the ready nodes goes next. Default: first come, first served. */
  readonly shuffled?: boolean;
  /** The time at the start, in milliseconds since the epoch. Default 2000-01-01. */
  readonly now?: number;
}

/** The longest delay that a platform's timer takes; a longer one fires at once there, so here it is refused (G16). */
const delayMsMax = 2 ** 31 - 1;

/** How many timers `runAll` fires. */
export const timersMax = 100_000;

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A fake host. Two of the same seed give the same ids, the same randomness and the same order. */
export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const { seed = 1, shuffled = false, now = Date.UTC(2000, 0, 1) } = options;
  const random = seededRandom(seed);
  const timers = new Set<Timer>();
  let time = now;
  const nextTimer = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    // Of two that are due at one time the one that was armed first goes first: a set keeps their order.
    for (const timer of timers) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  };
  const fire = async (timer: Timer): Promise<void> => {
    timers.delete(timer);
    time = timer.at;
    timer.callback();
    await settled();
  };
  return {
    get armed() {
      return timers.size;
    },
    now: () => time,
    setTimer(callback, delayMs) {
      if (!(delayMs >= 0 && delayMs <= delayMsMax)) throw new RangeError(`a timer cannot wait for ${delayMs} ms`);
      const timer = { at: time + delayMs, callback };
      timers.add(timer);
      return timer;
    },
    clearTimer: (timer) => void timers.delete(timer as Timer),
    random,
    randomId: () => Array.from({ length: 4 }, () => hex32(random())).join(""),
    ...(shuffled ? { pick: (count: number) => Math.floor(random() * count) } : {}),
    async advance(ms) {
      const until = time + ms;
      await settled();
      for (let timer = nextTimer(until); timer !== undefined; timer = nextTimer(until)) await fire(timer);
      time = until;
      await settled();
    },
    async step() {
      await settled();
      const timer = nextTimer(Infinity);
      if (timer !== undefined) await fire(timer);
      return timer !== undefined;
    },
    async runAll() {
      await settled();
      for (let fired = 0, timer = nextTimer(Infinity); timer !== undefined; timer = nextTimer(Infinity), fired += 1) {
        if (fired === timersMax)
          throw new Error(`${timersMax} timers fired and more are armed: something arms them for ever`);
        await fire(timer);
      }
    },
  };
}

/** One turn of the event loop: all promises that can settle by themselves have. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function hex32(random: number): string {
  return Math.floor(random * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}

/** A small generator of numbers from 0 to below 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
