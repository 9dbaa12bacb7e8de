import { durable } from "../durable.ts";
import type { Durable } from "../durable.ts";
import type { RunEvent } from "../events.ts";
import { memoryStore } from "../memory-store.ts";
import type { DurableOptions, RunOptions } from "../options.ts";
import type { AnyGraph, PulseEvent } from "@pulse-ts/core";
import type { Store } from "../store.ts";
import { faultyStore } from "./faulty-store.ts";
import type { FaultyStore, SeenSave } from "./faulty-store.ts";

/** Durable execution in a process that can die, on a store that outlives it. */
export interface Worker {
  readonly pulse: Durable;
  readonly store: FaultyStore;
  /** What observers saw: give `observers: [worker.see]`. */
  readonly events: (PulseEvent | RunEvent)[];
  readonly see: (event: PulseEvent | RunEvent) => void;
  /**
   * Dies at the save of this revision, before or after it is written; settles when it is dead. What the process still
   * does afterwards reaches no store.
   */
  diesAt(revision: number, when: "before" | "after"): Promise<void>;
}

/** A new process on what `memory` keeps. */
export function worker(memory: Store = memoryStore(), options: Omit<DurableOptions, "store"> = {}): Worker {
  const store = faultyStore(memory);
  const events: (PulseEvent | RunEvent)[] = [];
  return {
    pulse: durable({ ...options, store }),
    store,
    events,
    see: (event) => void events.push(event),
    diesAt: (revision, when) =>
      new Promise((resolve, reject) => {
        store.faults[when] = (save) => {
          if (save.revision !== revision) return undefined;
          store.crash().then(resolve, reject);
          return new Promise(() => {});
        };
      }),
  };
}

/** A process that starts or resumes a run, and dies when the first save of this kind is written. */
export async function lifeUntil(
  memory: Store,
  graph: AnyGraph,
  options: RunOptions,
  last: (save: SeenSave) => boolean,
): Promise<void> {
  const { pulse, store } = worker(memory);
  await new Promise<void>((resolve, reject) => {
    store.faults.after = (save) => {
      if (!last(save)) return undefined;
      store.crash().then(resolve, reject);
      return new Promise(() => {});
    };
    // The cast stands for a graph without inputs.
    pulse.runOrResume(graph, {} as never, options).then(() => reject(new Error("no save was the last")), reject);
  });
}

/** A promise that a test settles itself. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Settles when all that needs no timer and no outside event has. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
