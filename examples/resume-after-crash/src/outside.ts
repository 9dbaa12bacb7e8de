import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The world outside of the run: what a body does to it stays done when the process dies. */
export interface Outside {
  /** Takes the money, once for each key however often it is asked: as a payment service does that is worth its name. */
  pay(idempotencyKey: string, cents: number): string;
  /** Kills this process, the first time it is called in this folder. */
  crashOnce(): void;
  /** Prints a line now: a line that waits in memory would die with the process. */
  say(text: string): void;
}

/** A world that lives in a folder. */
export function outsideIn(folder: string): Outside {
  mkdirSync(folder, { recursive: true });
  const payments = join(folder, "payments.txt");
  const crashed = join(folder, "crashed");
  return {
    pay(idempotencyKey, cents) {
      const made = existsSync(payments) ? readFileSync(payments, "utf8").split("\n") : [];
      if (!made.includes(`${idempotencyKey} ${cents}`)) appendFileSync(payments, `${idempotencyKey} ${cents}\n`);
      return `payment-${idempotencyKey.slice(0, 8)}`;
    },
    crashOnce() {
      if (existsSync(crashed)) return;
      writeFileSync(crashed, "");
      process.kill(process.pid, "SIGKILL");
    },
    say: (text) => void writeSync(1, `${text}\n`),
  };
}
