import type { PulseEvent } from "@pulse-ts/core";
import type { RunEvent } from "@pulse-ts/durable";
import { isWithin } from "./steps.ts";

/** Where progress is shown. */
export interface Display {
  write(text: string): void;
  /** A terminal whose last line may be written over. */
  readonly live: boolean;
  /** Characters a line; default 80, also for 0, which is what some terminals say who do not know. */
  readonly columns?: number;
}

const barWidth = 24;
const columnsDefault = 80;

/** Follows the steps of one run by its events, and shows them: one moving line on a terminal, plain lines elsewhere. */
export class Progress {
  /** Steps that an earlier run of this program confirmed: not done again. */
  readonly restored = new Set<string>();
  private readonly done = new Set<string>();
  private readonly all: ReadonlySet<string>;
  private readonly display: Display;
  private lineShown = false;

  constructor(steps: readonly string[], display: Display) {
    this.all = new Set(steps);
    this.display = display;
  }

  /** Confirmed steps, restored ones included. */
  get confirmed(): number {
    return this.done.size;
  }

  get total(): number {
    return this.all.size;
  }

  /** An observer (CORE-32, DUR-13). */
  readonly see = (event: PulseEvent | RunEvent): void => {
    if (event.kind === "attempt-failed") {
      this.say(`${event.path}: try ${event.attempt} failed: ${textOf(event.error)}`);
    } else if (event.kind === "node-finished" && event.restored === true) {
      // A mount that is restored stands for all that is in it (CKPT-25).
      for (const step of this.all) if (isWithin(step, event.path)) this.finish(step, true);
      this.show("");
    } else if (event.kind === "node-finished" && (event.reason === "completed" || event.reason === "skipped")) {
      if (!this.all.has(event.path)) return;
      this.finish(event.path, false);
      this.show(event.path + (event.reason === "skipped" ? " (nothing to do)" : ""));
    }
  };

  /** Shows a line that stays. */
  say(text: string): void {
    this.clear();
    this.display.write(`${text}\n`);
  }

  /** Names the steps that an earlier run has confirmed, if there are any. */
  sayNotDoneAgain(steps: ReadonlySet<string>): void {
    if (steps.size === 0) return;
    this.say(`Not done again: ${steps.size} of ${this.total} steps (${listSteps(steps, [...this.all])}).`);
  }

  /** Takes the moving line away. */
  clear(): void {
    if (this.lineShown) this.display.write("\r\u001b[K");
    this.lineShown = false;
  }

  private finish(step: string, restored: boolean): void {
    this.done.add(step);
    if (restored) this.restored.add(step);
  }

  private show(path: string): void {
    const { live } = this.display;
    const columns = this.display.columns || columnsDefault;
    const count = `${String(this.confirmed).padStart(String(this.total).length)}/${this.total}`;
    if (live) {
      const filled = Math.round((this.confirmed / this.total) * barWidth);
      const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
      this.display.write(`\r\u001b[K${`${bar} ${count} ${path}`.slice(0, columns - 1)}`);
      this.lineShown = true;
    } else if (path !== "") this.display.write(`[${count}] ${path}\n`);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Steps as a person would list them: a mount whose steps are all there is named once, and neighbours are joined:
 * `scan, chunk-1 to chunk-4, chunk-6/read`.
 */
export function listSteps(found: ReadonlySet<string>, all: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const step of all) {
    const [head = step] = step.split("/", 1);
    groups.set(head, [...(groups.get(head) ?? []), step]);
  }
  const named: string[] = [];
  let span: string[] = [];
  const closeSpan = (): void => {
    if (span.length > 2) named.push(`${span[0]} to ${span.at(-1)}`);
    else named.push(...span);
    span = [];
  };
  for (const [head, steps] of groups) {
    const whole = steps.every((step) => found.has(step));
    if (whole && steps.length > 1) span.push(head);
    else {
      closeSpan();
      if (whole) named.push(head);
      else named.push(...steps.filter((step) => found.has(step)));
    }
  }
  closeSpan();
  return named.join(", ");
}
