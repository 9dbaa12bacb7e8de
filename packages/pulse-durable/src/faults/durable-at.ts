import type { CheckpointHooks, StreamHookName, StreamHooks } from "@pulse-ts/core/checkpoint";
import { durableAround } from "../durable.ts";
import type { Durable } from "../durable.ts";
import type { DurableOptions } from "../options.ts";
import { checkDurableOptions } from "../runtime/check-options.ts";
import type { Session, Store } from "../store.ts";

/**
 * Is called and awaited at each fault point. It may throw, and the call fails there; wait, and the call is late; or end the
 * process. At an `after` point what the call does is done: a throw there is an error about something that has happened.
 */
export type AtFaultPoint = (point: string) => void | Promise<void>;

/**
 * The hooks that wait; `prepare` and `convert` are synchronous, and what they do comes before `hook commit before`. So do
 * the parts of a stream's messages, which `streams.prepare` encodes before the hook that takes them.
 */
type HookName = Exclude<keyof CheckpointHooks, "prepare" | "convert" | "streams"> | `streams.${StreamHookName}`;
type StoreCall = "acquire" | keyof Session;
type Side = "before" | "after";

/** Where a durable run can be made to fail, to wait or to die. */
export type DurableFaultPoint = `hook ${HookName} ${Side}` | `${StoreCall} ${Side}`;

// Records, so that a hook or a call that is added to a contract cannot be forgotten here.
const hookNames: Readonly<Record<HookName, true>> = {
  openAttempt: true,
  failAttempt: true,
  openChild: true,
  commit: true,
  "streams.open": true,
  "streams.append": true,
  "streams.openMessage": true,
  "streams.failMessage": true,
  "streams.commit": true,
  "streams.finish": true,
};
const storeCalls: Readonly<Record<StoreCall, true>> = {
  acquire: true,
  load: true,
  save: true,
  content: true,
  close: true,
};

/**
 * Every fault point of {@link durableAt}. `save before` lies between what was decided and its save, `save after` between
 * the save and its confirmation, `hook commit after` between the confirmation and the publication of a node, and
 * `hook streams.append after` between the confirmation and the delivery of a message. A run without streams reaches no point
 * of a stream hook.
 */
export const durableFaultPoints: readonly DurableFaultPoint[] = Object.freeze([
  ...(Object.keys(storeCalls) as StoreCall[]).flatMap((call) => [`${call} before`, `${call} after`] as const),
  ...(Object.keys(hookNames) as HookName[]).flatMap((hook) => [`hook ${hook} before`, `hook ${hook} after`] as const),
]);

/**
 * What `durable` makes, but `at` is called before and after each hook of core and each call to the store (DUR-8). For tests:
 * nothing else is different. The catalogue and the store's own `close` have no fault points.
 * @throws PULSE_INVALID for options that cannot be
 */
export function durableAt(options: DurableOptions, at: AtFaultPoint): Durable {
  checkDurableOptions(options);
  return durableAround({ ...options, store: storeAt(options.store, at) }, (hooks) => hooksAt(hooks, at));
}

async function through<Result>(name: string, at: AtFaultPoint, work: () => Promise<Result>): Promise<Result> {
  await at(`${name} before`);
  const result = await work();
  await at(`${name} after`);
  return result;
}

function storeAt(store: Store, at: AtFaultPoint): Store {
  return {
    acquire: async (runId, options) => sessionAt(await through("acquire", at, () => store.acquire(runId, options)), at),
    ...(store.catalog === undefined ? {} : { catalog: store.catalog }),
    close: async () => store.close?.(),
  };
}

function sessionAt(session: Session, at: AtFaultPoint): Session {
  const { content } = session;
  return {
    load: (options) => through("load", at, () => session.load(options)),
    save: (next, expectedRevision, changes, options) =>
      through("save", at, () => session.save(next, expectedRevision, changes, options)),
    ...(content === undefined
      ? {}
      : { content: (digest, options) => through("content", at, () => content.call(session, digest, options)) }),
    close: () => through("close", at, () => session.close()),
  };
}

function hooksAt(hooks: CheckpointHooks, at: AtFaultPoint): CheckpointHooks {
  return {
    ...hooks,
    openAttempt: (request) => through("hook openAttempt", at, () => hooks.openAttempt(request)),
    failAttempt: (id, call) => through("hook failAttempt", at, () => hooks.failAttempt(id, call)),
    openChild: (request) => through("hook openChild", at, () => hooks.openChild(request)),
    commit: (request) => through("hook commit", at, () => hooks.commit(request)),
    ...(hooks.streams === undefined ? {} : { streams: streamHooksAt(hooks.streams, at) }),
  };
}

function streamHooksAt(hooks: StreamHooks, at: AtFaultPoint): StreamHooks {
  return {
    ...hooks,
    open: (request) => through("hook streams.open", at, () => hooks.open(request)),
    append: (request) => through("hook streams.append", at, () => hooks.append(request)),
    openMessage: (request) => through("hook streams.openMessage", at, () => hooks.openMessage(request)),
    failMessage: (request) => through("hook streams.failMessage", at, () => hooks.failMessage(request)),
    commit: (request) => through("hook streams.commit", at, () => hooks.commit(request)),
    finish: (request) => through("hook streams.finish", at, () => hooks.finish(request)),
  };
}
