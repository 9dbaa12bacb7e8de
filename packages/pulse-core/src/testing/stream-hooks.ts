import type { CheckpointHooks } from "../checkpoint/hooks.ts";
import type { ConfirmedMessage, StreamHooks, StreamPart } from "../checkpoint/stream-hooks.ts";
import { deferred } from "./deferred.ts";
import { memoryHooks } from "./memory-hooks.ts";

interface Account {
  last: number;
  end: "open" | "completed" | "failed";
  readonly attempt: string;
  readonly groups: Map<string, { readonly pending: Set<number>; stopped: boolean }>;
}

type Name = Exclude<keyof StreamHooks, "prepare">;

/** Stream hooks that keep their own account in memory, confirm at once, and can be held or made to answer otherwise. */
export interface StreamHooksOfTest {
  readonly hooks: CheckpointHooks;
  /** What was confirmed, in order: `open write`, `append lines 1 "a"`, `ack /read 1`, `handled /read 1`, `stop /read`, … */
  readonly lines: readonly string[];
  /** Every call as it was asked, with its request. */
  readonly calls: readonly { readonly hook: Name; readonly request: { readonly signal: AbortSignal } }[];
  /** Holds the next call of a hook back until it is released. */
  hold(hook: Name): {
    readonly reached: Promise<{ readonly signal: AbortSignal }>;
    release(): void;
    fail(error: unknown): void;
  };
  /** Answers the next call in place of the account. */
  answer(hook: Name, answer: () => unknown): void;
}

export function streamHooksOfTest(
  replaced: Partial<CheckpointHooks> = {},
  prepare: (part: StreamPart) => unknown = ({ value }) => structuredClone(value),
): StreamHooksOfTest {
  const plain = memoryHooks(replaced);
  const sources = new Map<string, Account>();
  const lines: string[] = [];
  const calls: { hook: Name; request: { readonly signal: AbortSignal } }[] = [];
  const held = new Map<Name, ReturnType<typeof gate>[]>();
  const answers = new Map<Name, (() => unknown)[]>();
  const failedTries = new Map<string, number>();
  const states = new Map<string, unknown>();

  const told = async <Result>(
    hook: Name,
    request: { readonly signal: AbortSignal },
    confirm: () => Result,
  ): Promise<Result> => {
    calls.push({ hook, request });
    const waiting = held.get(hook)?.shift();
    if (waiting !== undefined) {
      waiting.reached.resolve(request);
      await waiting.released.promise;
    }
    const other = answers.get(hook)?.shift();
    // The cast stands for the test, which answers what it likes.
    return other === undefined ? confirm() : (other() as Result);
  };
  const sourceOf = (sourceId: string): Account => sources.get(sourceId) as Account;
  const add = (sourceId: string, message: { readonly value: unknown }): ConfirmedMessage => {
    const source = sourceOf(sourceId);
    const sequence = ++source.last;
    for (const { pending, stopped } of source.groups.values()) if (!stopped) pending.add(sequence);
    lines.push(`append ${sourceId} ${sequence} ${JSON.stringify(message.value)}`);
    return { sequence, read: () => structuredClone(message.value) };
  };
  const isUnread = (sourceId: string): boolean =>
    [...sourceOf(sourceId).groups.values()].every(({ stopped }) => stopped);

  const streams: StreamHooks = {
    open: (request) =>
      told("open", request, () => {
        const { path, key, attempt, groups } = request;
        const sourceId = `${path}:${key.name}@${attempt}`;
        lines.push(`open ${path}`);
        const account = { last: 0, end: "open" as const, attempt, groups: new Map() };
        for (const { name, stopped } of groups) account.groups.set(name, { pending: new Set(), stopped });
        sources.set(sourceId, account);
        const fresh = groups.map((group) => ({ ...group, ackedThrough: 0, pending: [] }));
        return {
          sourceId,
          generation: 1,
          path,
          key: key.name,
          last: 0,
          end: "open",
          groups: fresh,
          messages: [],
          state: "new",
        };
      }),
    append: (request) =>
      told("append", request, () => {
        const { sourceId, message } = request;
        return isUnread(sourceId) ? { refused: "unread" } : add(sourceId, message as { readonly value: unknown });
      }),
    openMessage: (request) =>
      told("openMessage", request, () => {
        const { sourceId, group, sequence, limit, nodeId } = request;
        const failed = failedTries.get(`${sourceId} ${group} ${sequence}`) ?? 0;
        const state = states.get(nodeId);
        const attempt = { index: Math.min(failed + 1, limit), exhausted: failed >= limit };
        return states.has(nodeId) ? { ...attempt, state: () => structuredClone(state) } : attempt;
      }),
    failMessage: (request) =>
      told("failMessage", request, () => {
        const { sourceId, group, sequence, index } = request;
        lines.push(`failed ${group} ${sequence} try ${index}`);
        failedTries.set(`${sourceId} ${group} ${sequence}`, index);
      }),
    commit: (request) =>
      told("commit", request, () => {
        const { sourceId, group, sequence, stop, handled } = request;
        const account = sourceOf(sourceId).groups.get(group);
        if (sequence !== undefined) {
          account?.pending.delete(sequence);
          lines.push(`${handled === undefined ? "ack" : "handled"} ${group} ${sequence}`);
        }
        if (stop && account !== undefined) {
          account.stopped = true;
          account.pending.clear();
          lines.push(`stop ${group}`);
        }
        if (handled?.state !== undefined) states.set(handled.nodeId, handled.state.value);
        const values = (handled?.values ?? []).map((written) => {
          const { name } = written.key;
          if (written.state === "skipped") return { name, state: written.state };
          return { name, state: written.state, read: () => structuredClone(written.value) };
        });
        const sends = (handled?.sends ?? []).map((send) =>
          isUnread(send.sourceId)
            ? undefined
            : send.messages.map((message) => add(send.sourceId, message as { readonly value: unknown })),
        );
        return { values, sends };
      }),
    finish: (request) =>
      told("finish", request, () => {
        lines.push(`finish ${request.path}`);
        for (const source of sources.values()) if (source.attempt === request.attempt) source.end = "failed";
      }),
    prepare,
  };
  return {
    hooks: { ...plain, streams },
    lines,
    calls,
    hold(hook) {
      const waiting = gate();
      held.set(hook, [...(held.get(hook) ?? []), waiting]);
      return {
        reached: waiting.reached.promise,
        release: () => waiting.released.resolve(undefined),
        fail: (error) => waiting.released.reject(error),
      };
    },
    answer(hook, answer) {
      answers.set(hook, [...(answers.get(hook) ?? []), answer]);
    },
  };
}

function gate() {
  return { reached: deferred<{ readonly signal: AbortSignal }>(), released: deferred<undefined>() };
}
