import type { EventBody, NodeReason, Observer, PulseEvent } from "./events.ts";
import type { Host } from "./host.ts";

/**
 * Hands events to observers, in order, outside engine state (CORE-32): an event that arises while another is being
 * handed out waits its turn. An observer that fails is reported once and changes nothing.
 */
export class Emitter {
  private readonly host: Host;
  private observers: readonly Observer[];
  private readonly reported = new Set<Observer>();
  private queue: PulseEvent[] = [];
  private emitting = false;
  private sequence = 0;

  constructor(host: Host, observers: readonly Observer[]) {
    this.host = host;
    this.observers = observers;
  }

  /** False: nobody listens, so no event need be made. */
  get active(): boolean {
    return this.observers.length > 0;
  }

  add(observer: Observer): () => void {
    // A new list each time: an observer added during an event sees the next one (CORE-44).
    this.observers = [...this.observers, observer];
    return () => {
      this.observers = this.observers.filter((other) => other !== observer);
    };
  }

  emit(executionId: string, path: string, body: EventBody): void {
    this.hand({ executionId, sequence: ++this.sequence, time: this.host.now(), path, ...body });
  }

  /** The same for the events that every node has: written out, since they are on the path of each (CORE-35). */
  emitNode(executionId: string, path: string, kind: "node-waiting" | "node-running"): void {
    this.hand({ kind, executionId, sequence: ++this.sequence, time: this.host.now(), path });
  }

  emitFinished(executionId: string, path: string, reason: NodeReason): void {
    this.hand({ kind: "node-finished", executionId, sequence: ++this.sequence, time: this.host.now(), path, reason });
  }

  private hand(event: PulseEvent): void {
    if (this.emitting) {
      this.queue.push(event);
      return;
    }
    this.emitting = true;
    this.deliver(event);
    if (this.queue.length > 0) {
      for (let next = 0; next < this.queue.length; next++) this.deliver(this.queue[next] as PulseEvent);
      this.queue = [];
    }
    this.emitting = false;
  }

  private deliver(event: PulseEvent): void {
    const observers = this.observers;
    for (let at = 0; at < observers.length; at++) {
      const observer = observers[at] as Observer;
      try {
        const answer = observer(event);
        if (answer instanceof Promise) answer.catch((error: unknown) => this.report(observer, event, error));
      } catch (error) {
        this.report(observer, event, error);
      }
    }
  }

  private report(observer: Observer, event: PulseEvent, error: unknown): void {
    if (this.reported.has(observer)) return;
    this.reported.add(observer);
    this.emit(event.executionId, event.path, { kind: "observer-failed", error });
  }
}
