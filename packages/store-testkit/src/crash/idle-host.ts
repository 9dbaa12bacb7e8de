import type { Host } from "@pulse-ts/core";

/** Turns of the event loop in which nothing happened, after which nothing but time can go on. */
export const idleTurnsMin = 16;

/**
 * A host whose clock stands still while anything is at work, and then jumps to the next timer: delays and timeouts take
 * no time, and a timeout fires only on what would never have ended by itself, however slow the machine is.
 * Ids are random, as two processes of one run must not make the same.
 */
export function idleHost(options: IdleHostOptions): Host {
  const timers = new Set<Timer>();
  const random = seededRandom(options.seed);
  let time = Date.UTC(2000, 0, 1);
  let changes = 0;
  let watching = false;

  const watch = (): void => {
    if (watching) return;
    watching = true;
    let seen = changes + options.activity();
    let idle = 0;
    const look = (): void => {
      if (timers.size === 0) {
        watching = false;
        return;
      }
      if (options.busy()) {
        idle = 0;
        // A disk takes its time: not worth a thousand looks.
        setTimeout(look, 1);
        return;
      }
      const now = changes + options.activity();
      idle = now === seen ? idle + 1 : 0;
      seen = now;
      if (idle >= idleTurnsMin) {
        idle = 0;
        fire();
      }
      setImmediate(look);
    };
    setImmediate(look);
  };
  const fire = (): void => {
    let next: Timer | undefined;
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return;
    timers.delete(next);
    time = Math.max(time, next.at);
    next.callback();
  };
  return {
    now: () => time,
    setTimer(callback, delayMs) {
      const timer: Timer = { at: time + delayMs, callback };
      timers.add(timer);
      changes += 1;
      watch();
      return timer;
    },
    clearTimer(timer) {
      // What `setTimer` gave.
      timers.delete(timer as Timer);
      changes += 1;
    },
    random,
    randomId: () => crypto.randomUUID().replaceAll("-", ""),
    pick: (count) => Math.floor(random() * count),
  };
}

export interface IdleHostOptions {
  /** Whether anything that will settle by itself is at work outside the event loop: calls of a store. */
  readonly busy: () => boolean;
  /** A number that rises with whatever happens: the start of a body, a save. */
  readonly activity: () => number;
  /** Decides randomness and which of the ready nodes goes next. */
  readonly seed: number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A small generator of numbers from 0 to below 1 (mulberry32): the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
