/**
 * Starts the nodes of one execution in the async context in which it was started itself (CKPT-33). Whoever decides a node's
 * last key, or gives it its place, may be in another: beside a mount, or inside one. Core knows no AsyncLocalStorage
 * (CORE-39): a loop that waits in the right context does it.
 */
export class Starts {
  private queue: (() => void)[] = [];
  private wake = (): void => {};

  constructor() {
    void this.loop();
  }

  /** Starts in order, in a later microtask. `start` does not throw. */
  push(start: () => void): void {
    this.queue.push(start);
    this.wake();
  }

  /** Ends with its execution: nothing else holds it. */
  private async loop(): Promise<never> {
    for (;;) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (this.queue.length > 0) resolve();
      });
      const { queue } = this;
      this.queue = [];
      for (const start of queue) start();
    }
  }
}
