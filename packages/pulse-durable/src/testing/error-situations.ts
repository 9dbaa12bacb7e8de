import { graph, node, PulseError } from "@pulse-ts/core";
import type { PulseErrorCode } from "@pulse-ts/core";
import { durable } from "../durable.ts";
import type { NextStep } from "../errors.ts";
import { durableAt } from "../faults/durable-at.ts";
import { contentsApart } from "./apart-store.ts";
import {
  add,
  at,
  call,
  ended,
  failed,
  failing,
  functions,
  halfRun,
  inputs,
  loading,
  mounting,
  renamed,
  sessions,
  storeSays,
  unencodable,
  waits,
  withHeader,
} from "./broken-runs.ts";
import type { Memory } from "./broken-runs.ts";

export interface Situation {
  readonly code: PulseErrorCode;
  readonly next: NextStep;
  /** Of what stopped the run. */
  readonly cause?: PulseErrorCode;
  /** What the store holds already. */
  readonly given?: (memory: Memory) => Promise<unknown>;
  readonly rejects: (memory: Memory) => Promise<unknown>;
}

const raw = new Error("EIO");
const nameless = new PulseError("PULSE_USAGE", "closed", { details: { rule: "STORE-2" } });

/** What a call of durable may reject with, each with what the host can do next. */
export const situations: Readonly<Record<string, Situation>> = {
  // What is wrong with the call; more in bad-calls.test.ts.
  "an empty version": {
    code: "PULSE_INVALID",
    next: "start",
    rejects: (store) => durable({ store }).run(add(), inputs, { ...call, version: "" }),
  },
  "a missing input": {
    code: "PULSE_INVALID",
    next: "resume",
    rejects: (store) => durable({ store }).resume(add(), {} as never, call),
  },
  "an input that cannot be encoded": {
    code: "PULSE_CODEC",
    next: "start",
    rejects: (store) => durable({ store }).run(unencodable, { fun: () => {} }, call),
  },
  "an execution that beforeStart starts": {
    code: "PULSE_USAGE",
    next: "start",
    rejects: (store) => durable({ store }).run(add(), inputs, { ...call, beforeStart: (running) => running.start() }),
  },
  "a durable that is closed": {
    code: "PULSE_USAGE",
    next: "start",
    rejects: async (store) => {
      const pulse = durable({ store });
      await pulse.close();
      await pulse.run(add(), inputs, call);
    },
  },
  "no catalogue": {
    code: "PULSE_USAGE",
    next: "mend-store",
    rejects: ({ acquire }) => durable({ store: { acquire } }).inspect("run"),
  },
  "an id that is empty": {
    code: "PULSE_INVALID",
    next: "new-run-id",
    rejects: (store) => durable({ store }).inspect(""),
  },
  // What the store holds.
  "a run that is there": {
    code: "PULSE_CONFLICT",
    next: "resume",
    given: halfRun,
    rejects: (store) => durable({ store }).run(add(), inputs, call),
  },
  "a run that has ended": {
    code: "PULSE_CONFLICT",
    next: "new-run-id",
    given: ended,
    rejects: (store) => durable({ store }).run(add(), inputs, call),
  },
  "a run that is not there": {
    code: "PULSE_NOT_FOUND",
    next: "start",
    rejects: (store) => durable({ store }).resume(add(), inputs, call),
  },
  "an inspection of a run that is not there": {
    code: "PULSE_NOT_FOUND",
    next: "start",
    rejects: (store) => durable({ store }).inspect("run"),
  },
  "a run that somebody owns": {
    code: "PULSE_BUSY",
    next: "later",
    given: (store) => store.acquire("run"),
    rejects: (store) => durable({ store }).runOrResume(add(), inputs, call),
  },
  "a run that has failed": {
    code: "PULSE_RUN_FAILED",
    next: "new-run-id",
    given: failed,
    rejects: (store) => durable({ store }).resume(failing, inputs, call),
  },
  "a run that was resumed too often": {
    code: "PULSE_RESUME_LIMIT",
    next: "raise-max-resumes",
    given: halfRun,
    rejects: (store) => durable({ store }).resume(add(), inputs, { ...call, maxResumes: 0 }),
  },
  // What does not agree.
  "another version": {
    code: "PULSE_INCOMPATIBLE",
    next: "same-definition",
    given: halfRun,
    rejects: (store) => durable({ store }).resume(add(), inputs, { ...call, version: "2" }),
  },
  "another definition": {
    code: "PULSE_INCOMPATIBLE",
    next: "same-definition",
    given: halfRun,
    rejects: (store) => durable({ store }).resume(renamed, inputs, call),
  },
  "other fixed values": {
    code: "PULSE_INCOMPATIBLE",
    next: "same-definition",
    given: (store) => durable({ store }).run(mounting(1), {}, call),
    rejects: (store) => durable({ store }).resume(mounting(2), {}, call),
  },
  "other inputs": {
    code: "PULSE_INCOMPATIBLE",
    next: "same-definition",
    given: halfRun,
    rejects: (store) => durable({ store }).resume(add(), { start: 2 }, call),
  },
  overrides: {
    code: "PULSE_INCOMPATIBLE",
    next: "same-definition",
    given: halfRun,
    rejects: (store) => durable({ store }).resume(add(), inputs, { ...call, overrides: { keys: { made: 3 } } }),
  },
  "a record of another run": {
    code: "PULSE_CORRUPT",
    next: "restore-backup",
    given: halfRun,
    rejects: (memory) => {
      const store = loading(memory, (record) => withHeader(record, { runId: "another" }));
      return durable({ store }).resume(add(), inputs, call);
    },
  },
  "a record that lost its scopes": {
    code: "PULSE_CORRUPT",
    next: "restore-backup",
    given: halfRun,
    rejects: (memory) => {
      const store = loading(memory, (record) => ({ ...record, scopes: new Map() }));
      return durable({ store }).resume(add(), inputs, call);
    },
  },
  "a content that the store does not keep": {
    code: "PULSE_CORRUPT",
    next: "restore-backup",
    given: ended,
    rejects: (store) =>
      durable({ store: loading(store, (record) => contentsApart(record, new Map())) }).resume(add(), inputs, call),
  },
  "a newer format": {
    code: "PULSE_NEWER_FORMAT",
    next: "newer-package",
    given: halfRun,
    rejects: (memory) => {
      const store = loading(memory, (record) => withHeader(record, { format: 3 as never }));
      return durable({ store }).resume(add(), inputs, call);
    },
  },
  // What the store cannot do.
  "a store that fails to acquire": {
    code: "PULSE_STORE",
    next: "mend-store",
    rejects: (store) => at(store, "acquire before", raw).run(add(), inputs, call),
  },
  "a store that fails to load": {
    code: "PULSE_STORE",
    next: "mend-store",
    given: halfRun,
    rejects: (store) => at(store, "load before", raw).resume(add(), inputs, call),
  },
  "a store that fails at the first save": {
    code: "PULSE_STORE",
    next: "mend-store",
    rejects: (store) => at(store, "save before", raw).run(add(), inputs, call),
  },
  "a store that fails at the first save, in its own words": {
    code: "PULSE_STORE",
    next: "mend-store",
    rejects: (store) => at(store, "save before", storeSays("PULSE_STORE", "mend-store")).run(add(), inputs, call),
  },
  "a store that fails to count a resume": {
    code: "PULSE_STORE",
    next: "mend-store",
    given: halfRun,
    rejects: (store) => at(store, "save after", raw).resume(add(), inputs, { ...call, maxResumes: 1 }),
  },
  "a store that fails to read a content": {
    code: "PULSE_STORE",
    next: "mend-store",
    given: ended,
    rejects: (memory) => {
      const store = sessions(
        loading(memory, (record) => contentsApart(record, new Map())),
        () => ({ content: () => Promise.reject(raw) }),
      );
      return durable({ store }).resume(add(), inputs, call);
    },
  },
  "a store that fails to look": {
    code: "PULSE_STORE",
    next: "mend-store",
    rejects: (memory) => {
      const catalog = { ...memory.catalog, read: () => Promise.reject(raw) };
      return durable({ store: { ...memory, catalog } }).inspect("run");
    },
  },
  "a store that names no run": {
    code: "PULSE_USAGE",
    next: "mend-store",
    rejects: (store) => at(store, "acquire before", nameless).resume(add(), inputs, call),
  },
  "a first save that fails after the host has ended the call": {
    code: "PULSE_STORE",
    next: "mend-store",
    rejects: (store) => {
      const ending = new AbortController();
      const pulse = durableAt({ store }, (point) => {
        if (point !== "save after") return;
        ending.abort();
        throw raw;
      });
      return pulse.run(add(), inputs, { ...call, signal: ending.signal });
    },
  },
  "a run that was taken over before it began": {
    code: "PULSE_OWNERSHIP_LOST",
    next: "later",
    rejects: (store) => at(store, "save before", storeSays("PULSE_OWNERSHIP_LOST", "later")).run(add(), inputs, call),
  },
  // What stops a run.
  "a save that fails": {
    code: "PULSE_CHECKPOINT",
    next: "mend-store",
    given: halfRun,
    rejects: (store) => at(store, "save before", raw).resume(add(), inputs, call),
  },
  "a save that fails, in the store's words": {
    code: "PULSE_CHECKPOINT",
    next: "mend-store",
    cause: "PULSE_STORE",
    given: halfRun,
    rejects: (store) => at(store, "save after", storeSays("PULSE_STORE", "mend-store")).resume(add(), inputs, call),
  },
  "a run that is taken over": {
    code: "PULSE_CHECKPOINT",
    next: "later",
    cause: "PULSE_OWNERSHIP_LOST",
    given: halfRun,
    rejects: (store) =>
      at(store, "save before", storeSays("PULSE_OWNERSHIP_LOST", "later")).resume(add(), inputs, call),
  },
  "a record that somebody else has moved": {
    code: "PULSE_CHECKPOINT",
    next: "resume",
    cause: "PULSE_CONFLICT",
    given: halfRun,
    rejects: (memory) => {
      const store = sessions(memory, (session) => ({
        save: (next, expected, changes) => session.save(next, expected + 1, changes),
      }));
      return durable({ store }).resume(add(), inputs, call);
    },
  },
  "a store's error that names no run": {
    code: "PULSE_CHECKPOINT",
    next: "resume",
    cause: "PULSE_USAGE",
    given: halfRun,
    rejects: (store) => at(store, "save before", nameless).resume(add(), inputs, call),
  },
  // What ends a run.
  "a body that fails": {
    code: "PULSE_RUN_FAILED",
    next: "new-run-id",
    rejects: (store) => durable({ store }).run(failing, inputs, call),
  },
  "a value that cannot be encoded": {
    code: "PULSE_RUN_FAILED",
    next: "new-run-id",
    cause: "PULSE_CODEC",
    rejects: (store) => {
      const nodes = [node("odd", { provides: [functions] }, () => ({ fun: () => {} }))];
      return durable({ store }).run(graph("odd", { outputs: [functions], nodes }), {}, call);
    },
  },
  "a host that had ended the call already": {
    code: "PULSE_INTERRUPTED",
    next: "start",
    rejects: (store) => durable({ store }).run(add(), inputs, { ...call, signal: AbortSignal.abort() }),
  },
  "a host that ends the call while the store is asked": {
    code: "PULSE_INTERRUPTED",
    next: "resume",
    given: halfRun,
    rejects: (store) => {
      const ending = new AbortController();
      const pulse = durableAt({ store }, (point) => {
        if (point === "load before") ending.abort();
      });
      return pulse.resume(add(), inputs, { ...call, signal: ending.signal });
    },
  },
  "a host that interrupts the run": {
    code: "PULSE_INTERRUPTED",
    next: "resume",
    rejects: async (store) => {
      const handle = await durable({ store }).start(waits, {}, call);
      handle.cancel();
      await handle.wait();
    },
  },
  "a host that has closed the durable": {
    code: "PULSE_INTERRUPTED",
    next: "resume",
    rejects: async (store) => {
      const pulse = durable({ store });
      const handle = await pulse.start(waits, {}, call);
      await pulse.close();
      await handle.wait();
    },
  },
};
