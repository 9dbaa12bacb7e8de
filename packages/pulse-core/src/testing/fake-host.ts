import type { Host } from "../run/host.ts";
import { turn } from "./deferred.ts";

/** A host whose time moves only when a test says so, and whose randomness comes from a seed. */
export interface FakeHost extends Host {
  /** Timers that are armed now. */
  readonly armed: number;
  /** The delays asked for, in the order in which they were. */
  readonly delays: readonly number[];
  /**
   * Lets everything that needs no time settle, then moves the clock, firing what is due in order of time; after each
   * timer what it set off settles.
   */
  advance(ms: number): Promise<void>;
}

export interface FakeHostOptions {
  readonly seed?: number;
  /** Lets the seed decide which ready node goes next. */
  readonly shuffled?: boolean;
  readonly now?: number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** What a platform's timer takes at most; a longer one fires at once there, so here it is refused (G16). */
const delayMsMax = 2 ** 31 - 1;

export function fakeHost({ seed = 1, shuffled = false, now = 1_000_000 }: FakeHostOptions = {}): FakeHost {
  const random = seeded(seed);
  const timers = new Set<Timer>();
  const delays: number[] = [];
  let time = now;
  let ids = 0;
  const nextDue = (until: number): Timer | undefined => {
    let due: Timer | undefined;
    for (const timer of timers) if (timer.at <= until && (due === undefined || timer.at < due.at)) due = timer;
    return due;
  };
  const host: FakeHost = {
    get armed() {
      return timers.size;
    },
    delays,
    now: () => time,
    setTimer(callback, delayMs) {
      if (!(delayMs >= 0 && delayMs <= delayMsMax)) throw new RangeError(`a timer of ${delayMs} ms`);
      const timer = { at: time + delayMs, callback };
      timers.add(timer);
      delays.push(delayMs);
      return timer;
    },
    clearTimer: (timer) => void timers.delete(timer as Timer),
    random,
    randomId: () => (++ids).toString(16).padStart(32, "0"),
    async advance(ms) {
      await turn();
      const until = time + ms;
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer);
        time = timer.at;
        timer.callback();
        await turn();
      }
      time = until;
      await turn();
    },
    ...(shuffled ? { pick: (count: number) => Math.floor(random() * count) } : {}),
  };
  return host;
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
