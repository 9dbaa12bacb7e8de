import type { Host } from "@pulse-ts/core";
import type { RunEvent, RunEventBody, RunObserver } from "../events.ts";

/** Tells the observers of one run what happens to it (DUR-13). */
export interface RunEvents {
  /** False when nobody listens, so that nothing need be counted. */
  readonly observed: boolean;
  emit(body: RunEventBody): void;
}

/** An observer that throws or rejects is isolated: it is told to the others once and changes nothing (CORE-32). */
export function runEvents(runId: string, host: Host, observers: readonly RunObserver[]): RunEvents {
  const reported = new Set<RunObserver>();
  const failed = (observer: RunObserver, error: unknown): void => {
    if (reported.has(observer)) return;
    reported.add(observer);
    const event: RunEvent = { runId, time: host.now(), kind: "run-observer-failed", error };
    for (const other of observers) if (!reported.has(other)) call(other, event);
  };
  const call = (observer: RunObserver, event: RunEvent): void => {
    try {
      const answer = observer(event);
      if (answer instanceof Promise) answer.catch((error: unknown) => failed(observer, error));
    } catch (error) {
      failed(observer, error);
    }
  };
  return {
    observed: observers.length > 0,
    emit(body) {
      const event: RunEvent = { runId, time: host.now(), ...body };
      for (const observer of observers) call(observer, event);
    },
  };
}
