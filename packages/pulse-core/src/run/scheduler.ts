import type { Host } from "./host.ts";
import { Semaphore } from "./semaphore.ts";

/** Something that can start a node by its index. */
export interface Starter {
  start(node: number): void;
  /** False once the node was cancelled while it was queued. */
  startable(node: number): boolean;
  /** False for a mount: it holds no place (CORE-18). */
  holdsPlace(node: number): boolean;
  /** Hands a decided slot to the child of a mount. */
  flowInto(node: number, slot: number, childSlot: number): void;
}

/** Below this many taken entries the queue is not worth moving up. */
const compactFrom = 1024;

/**
 * What is ready to run, of a whole tree of executions. One loop drains it, so that a chain of synchronous bodies
 * needs no stack (CORE-35), in the order of the host (CORE-40).
 */
export class Scheduler {
  /** The cap on the bodies of the whole tree (CORE-18). */
  readonly places: Semaphore | undefined;
  private readonly host: Host;
  // The arrays keep their room when the queue runs empty: a chain fills and empties it with every node.
  private readonly starters: Starter[] = [];
  /** Node indices; complemented for one that waited for its place and has it. */
  private readonly nodes: number[] = [];
  private head = 0;
  private tail = 0;
  private draining = false;
  /** Values on their way into mounts. A queue, so that a long way through mounts needs no stack (CORE-35). */
  private flows: {
    readonly from: Starter;
    readonly node: number;
    readonly slot: number;
    readonly childSlot: number;
  }[] = [];

  constructor(host: Host, concurrency: number | undefined) {
    this.host = host;
    this.places = concurrency === undefined ? undefined : new Semaphore(concurrency);
  }

  push(starter: Starter, node: number): void {
    this.starters[this.tail] = starter;
    this.nodes[this.tail++] = node;
  }

  /** A decided slot is to flow into a mount; it does with the next {@link drain}, before another node starts. */
  pushFlow(from: Starter, node: number, slot: number, childSlot: number): void {
    this.flows.push({ from, node, slot, childSlot });
  }

  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (;;) {
      if (this.flows.length > 0) this.deliver();
      const { head } = this;
      if (head === this.tail) break;
      const at = this.host.pick === undefined ? head : head + this.host.pick(this.tail - head);
      const starter = this.starters[at] as Starter;
      const node = this.nodes[at] as number;
      if (at !== head) {
        this.starters[at] = this.starters[head] as Starter;
        this.nodes[at] = this.nodes[head] as number;
      }
      this.head++;
      if (this.head === this.tail) this.head = this.tail = 0;
      else if (this.head > compactFrom && this.head * 2 > this.tail) this.compact();
      this.take(starter, node);
    }
    this.draining = false;
  }

  private deliver(): void {
    for (let next = 0; next < this.flows.length; next++) {
      const { from, node, slot, childSlot } = this.flows[next] as (typeof this.flows)[number];
      from.flowInto(node, slot, childSlot);
    }
    this.flows = [];
  }

  private take(starter: Starter, node: number): void {
    const { places } = this;
    if (node < 0) {
      if (starter.startable(~node)) starter.start(~node);
      else places?.release();
    } else if (starter.startable(node)) {
      if (places === undefined || !starter.holdsPlace(node) || places.tryAcquire()) starter.start(node);
      else {
        places.wait(() => {
          if (!starter.startable(node)) return false;
          this.push(starter, ~node);
          this.drain();
          return true;
        });
      }
    }
  }

  private compact(): void {
    this.starters.copyWithin(0, this.head, this.tail);
    this.nodes.copyWithin(0, this.head, this.tail);
    this.tail -= this.head;
    this.head = 0;
  }
}
