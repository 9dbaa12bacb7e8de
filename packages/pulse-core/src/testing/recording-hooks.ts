import type { CheckpointHooks, HookCall } from "../checkpoint/hooks.ts";
import { scopeFailure } from "../checkpoint/scope-failure.ts";
import { deferred } from "./deferred.ts";
import { keptOutput, RunRecord } from "./run-record.ts";
import type { KeptOutput } from "./run-record.ts";

type PlainHook = "openAttempt" | "failAttempt" | "openChild" | "commit";

/** Where a test steps into a hook call: before it is recorded, or after, when the caller does not know of it yet. */
type Moment = "before" | "after";

/** A hook call that a test holds. */
export interface Hold {
  /** Settles when the call has come; gives what the hook was given. */
  readonly reached: Promise<HookCall>;
  release(): void;
  /** Lets the hook throw this. */
  fail(error: unknown): void;
}

/** Hooks over a record in memory, with places to wait and to fail at. */
export interface RecordingHooks extends CheckpointHooks {
  readonly record: RunRecord;
  /** `hook id`, in the order of the calls; the id is the attempt's ({@link RunRecord}). */
  readonly calls: readonly string[];
  /** The calls of one hook. */
  callsOf(hook: PlainHook): readonly string[];
  /** Holds the next call of a hook for an attempt. */
  hold(hook: PlainHook, id: string, moment?: Moment): Hold;
  /** Lets the next call of a hook for an attempt throw. */
  fail(hook: PlainHook, id: string, error: unknown, moment?: Moment): void;
  /** From the hook call of this number on, counted from 1, each throws: the process is as good as dead. */
  crashAt(call: number, moment: Moment): void;
  /** Does something when the hook call of this number, counted from 1, comes in. */
  atCall(call: number, act: () => void): void;
}

/** `pace` is awaited in each call, between its moments. */
export function recordingHooks(
  record: RunRecord = new RunRecord(),
  pace: () => Promise<void> = () => Promise.resolve(),
): RecordingHooks {
  const calls: string[] = [];
  const steps = new Map<string, (call: HookCall) => Promise<void>>();
  const acts = new Map<number, () => void>();
  let crash: { readonly at: number; readonly moment: Moment } | undefined;

  const interposed = async <Result>(
    hook: PlainHook,
    id: string,
    call: HookCall,
    act: () => Result,
  ): Promise<Result> => {
    const number = calls.push(`${hook} ${id}`);
    const step = async (moment: Moment): Promise<void> => {
      if (crash !== undefined && (number > crash.at || (number === crash.at && moment === crash.moment)))
        throw new Error("crash");
      const key = `${moment} ${hook} ${id}`;
      const planned = steps.get(key);
      steps.delete(key);
      await planned?.(call);
    };
    acts.get(number)?.();
    await step("before");
    await pace();
    const result = act();
    await step("after");
    return result;
  };

  return {
    record,
    calls,
    callsOf: (hook) => calls.filter((call) => call.startsWith(`${hook} `)).map((call) => call.slice(hook.length + 1)),
    hold(hook, id, moment = "before") {
      const reached = deferred<HookCall>();
      const held = deferred();
      steps.set(`${moment} ${hook} ${id}`, (call) => (reached.resolve(call), held.promise));
      return { reached: reached.promise, release: () => held.resolve(), fail: (error) => held.reject(error) };
    },
    fail(hook, id, error, moment = "before") {
      steps.set(`${moment} ${hook} ${id}`, () => Promise.reject(error));
    },
    crashAt(at, moment) {
      crash = { at, moment };
    },
    atCall: (call, act) => void acts.set(call, act),
    openAttempt: (request) =>
      interposed("openAttempt", record.attempt(request).id, request, () => record.attempt(request)),
    failAttempt: (id, call) => interposed("failAttempt", id, call, () => void record.failed.add(id)),
    openChild: (request) =>
      interposed("openChild", request.attempt, request, () => {
        if (record.isFailed(request.attempt)) throw scopeFailure(request.attempt, request.path);
        record.scopes.add(request.attempt);
        return { nodes: record.confirmed(request.attempt) };
      }),
    prepare: ({ outputs }) => outputs.map(keptOutput),
    commit: (request) =>
      interposed("commit", request.attempt, request, () => {
        // What `prepare` made for this very node.
        const outputs = request.prepared as readonly KeptOutput[];
        record.keep(request, outputs);
        return record.published(outputs);
      }),
  };
}
