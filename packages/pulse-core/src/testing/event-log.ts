import type { PulseEvent } from "../run/events.ts";

/** Keeps what an observer saw. */
export interface EventLog {
  readonly observer: (event: PulseEvent) => void;
  readonly events: readonly PulseEvent[];
  /** The events as `kind path`, of these paths or of all. */
  lines(...paths: readonly string[]): string[];
  /** Why a node finished; undefined while it has not. */
  reasonOf(path: string): string | undefined;
}

export function eventLog(): EventLog {
  const events: PulseEvent[] = [];
  return {
    observer: (event) => void events.push(event),
    events,
    lines: (...paths) =>
      events
        .filter((event) => paths.length === 0 || paths.includes(event.path))
        .map((event) => (event.path === "" ? event.kind : `${event.kind} ${event.path}`)),
    reasonOf(path) {
      const finished = events.filter((event) => event.kind === "node-finished" && event.path === path);
      if (finished.length > 1) throw new Error(`node ${path} finished ${finished.length} times`);
      const [event] = finished;
      return event?.kind === "node-finished" ? event.reason : undefined;
    },
  };
}
