/** The clock, timers and randomness of an execution: tests move them (CORE-40). */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls once after `delayMs` milliseconds, 0 to 2^31 - 1. */
  setTimer(callback: () => void, delayMs: number): unknown;
  clearTimer(timer: unknown): void;
  /** At least 0, less than 1. Jitter uses it. */
  random(): number;
  /** 16 random bytes as 32 hex digits. */
  randomId(): string;
  /** Which of `count` ready nodes goes next, from 0; absent: first come, first served. */
  pick?(count: number): number;
}

/** The real clock, timers and randomness. */
export const systemHost: Host = Object.freeze({
  now: () => Date.now(),
  setTimer: (callback: () => void, delayMs: number): unknown => setTimeout(callback, delayMs),
  clearTimer: (timer: unknown): void => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
  randomId: (): string => crypto.randomUUID().replaceAll("-", ""),
});

/** The longest delay that a platform timer takes: above it, it fires at once (G16). */
const timerMsMax = 2 ** 31 - 1;

/** Calls once after any delay: long ones in several steps, `Infinity` never (CORE-38). Returns what cancels it. */
export function after(host: Host, delayMs: number, callback: () => void): () => void {
  if (delayMs === Infinity) return () => {};
  let left = Math.max(0, delayMs);
  let timer: unknown;
  const arm = (): void => {
    const step = Math.min(left, timerMsMax);
    left -= step;
    timer = host.setTimer(() => (left > 0 ? arm() : callback()), step);
  };
  arm();
  return () => host.clearTimer(timer);
}
