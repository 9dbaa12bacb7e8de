import type {
  ConfirmedMessage,
  PreparedMessage,
  StreamCommitted,
  StreamHooks,
  StreamPart,
  StreamRef,
  StreamRefusal,
} from "../checkpoint/stream-hooks.ts";
import type { AnyKey } from "../key.ts";
import type { HookCall } from "../checkpoint/hooks.ts";
import type { CheckpointDriver, Covering } from "../run/checkpoint-driver.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { Delivery } from "./delivery.ts";
import type { Group } from "./group.ts";
import type { Source } from "./source.ts";
import { canceledError, failedError } from "./stream-errors.ts";
import type { StreamKey } from "./stream-key.ts";
import { quiet } from "./waiter.ts";

/** A message as the writer sent it. */
export interface SentMessage {
  readonly value: unknown;
  readonly at: { readonly position: unknown } | undefined;
}

/**
 * How what happens to the streams of a tree becomes true where it is recorded: each operation is one call of a hook, and
 * nothing of it is seen before the hook has settled (STR-22, CKPT-36). In memory there is none of it.
 */
export class Confirming {
  private readonly driver: CheckpointDriver;
  private readonly hooks: StreamHooks;
  private readonly root: ExecutionState;
  private readonly unanswered = new WeakMap<ExecutionState, Map<string, Set<Promise<unknown>>>>();

  constructor(driver: CheckpointDriver, hooks: StreamHooks, root: ExecutionState) {
    this.driver = driver;
    this.hooks = hooks;
    this.root = root;
  }

  /** Encodes a part before anything can change it (CKPT-28). What it throws is the caller's own failure. */
  prepare(part: StreamPart, path: string): unknown {
    return this.hooks.prepare === undefined ? part.value : this.hooks.prepare(part, path);
  }

  prepareMessage(key: AnyKey & StreamKey, { value, at }: SentMessage, path: string): PreparedMessage {
    const message = { value: this.prepare({ kind: "message", key, value }, path) };
    if (at === undefined) return message;
    return { ...message, position: { value: this.prepare({ kind: "position", key, value: at.position }, path) } };
  }

  /** Confirms a message for which there is room, and gives it to the groups. `false`: nobody reads any more (STR-36). */
  async append(source: Source, level: NodeContext, message: PreparedMessage, sent: SentMessage): Promise<boolean> {
    const { key } = source.plan;
    let answer: ConfirmedMessage | StreamRefusal;
    try {
      answer = await this.ask("streams.append", { level }, async (covered) =>
        checkedMessage(
          source,
          await this.hooks.append({
            ...refOf(source),
            path: level.path,
            key,
            message,
            get signal() {
              return covered.signal;
            },
          }),
        ),
      );
    } catch (error) {
      source.reserved--;
      source.pump();
      throw error;
    }
    source.reserved--;
    if ("refused" in answer) {
      source.pump();
      if (answer.refused === "unread") return false;
      throw refusedError(source, answer);
    }
    source.accept(answer, sent.at);
    return true;
  }

  /** Acknowledges one message, or stops the group, for its reader alone. */
  async commit(group: Group, path: string, by: ExecutionState | undefined, sequence?: number): Promise<void> {
    const { source, name } = group;
    const execution = by ?? this.root;
    const answer = await this.ask("streams.commit", { execution, path }, (covered) =>
      this.hooks.commit({
        ...refOf(source),
        group: name,
        path,
        ...(sequence === undefined ? { stop: true } : { stop: false, sequence }),
        get signal() {
          return covered.signal;
        },
      }),
    );
    // A group of a source that has ended otherwise may well stop.
    if ("refused" in answer && sequence !== undefined) throw refusedError(source, answer);
  }

  /** Confirms what the host stopped before a stream that has ended was known: nobody opens it any more, nor waits for this. */
  stopsEarly({ groups, end }: Source): void {
    const confirmed = async (group: Group): Promise<void> => {
      await this.commit(group, "", undefined);
      group.stopsEarly = false;
    };
    // What fails ends the run.
    for (const group of groups) if (end !== undefined && group.stopsEarly) void quiet(confirmed(group));
  }

  /** Confirms a handler's transaction as a whole (REC-14). */
  async handled(
    delivery: Delivery,
    level: NodeContext,
    request: Pick<Parameters<StreamHooks["commit"]>[0], "stop" | "handled">,
  ): Promise<StreamCommitted> {
    const { group } = delivery.member;
    const answer = await this.ask("streams.commit", { execution: level.execution, path: level.path }, (covered) =>
      this.hooks.commit({
        ...refOf(group.source),
        group: group.name,
        path: level.path,
        sequence: delivery.sequence,
        ...request,
        get signal() {
          return covered.signal;
        },
      }),
    );
    if ("refused" in answer) throw refusedError(group.source, answer);
    return answer;
  }

  /** Asks a hook, and remembers for which node until it has answered. */
  ask<Result>(hook: string, by: Covering, call: (covered: HookCall) => Promise<Result>): Promise<Result> {
    const asked = this.driver.ask(hook, by, call);
    if ("level" in by) this.remember(by.level.execution, by.level.path, asked);
    else this.remember("above" in by ? by.above : by.execution, by.path, asked);
    return asked;
  }

  /** Remembers for which node something is under way: its end waits for that. */
  remember(execution: ExecutionState, path: string, asked: Promise<unknown>): void {
    let open = this.unanswered.get(execution);
    if (open === undefined) this.unanswered.set(execution, (open = new Map()));
    let ofNode = open.get(path);
    if (ofNode === undefined) open.set(path, (ofNode = new Set()));
    ofNode.add(asked);
    const answered = (): void => void ofNode.delete(asked);
    asked.then(answered, answered);
  }

  /** All that a node has asked has been answered, and what comes of it has been done. */
  settled(execution: ExecutionState, path: string): Promise<void> | undefined {
    const open = this.unanswered.get(execution)?.get(path);
    return open === undefined || open.size === 0 ? undefined : emptied(open);
  }

  get asked(): StreamHooks {
    return this.hooks;
  }
}

async function emptied(open: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (open.size > 0) await Promise.allSettled(open);
}

/** What is not the next message or one to come would be waited for for ever. */
function checkedMessage(source: Source, answer: ConfirmedMessage | StreamRefusal): ConfirmedMessage | StreamRefusal {
  if ("refused" in answer) return answer;
  const { sequence, read } = answer;
  if (Number.isSafeInteger(sequence) && sequence > source.last && typeof read === "function") return answer;
  throw new TypeError(`append to stream "${source.plan.key.name}" gave back no message after ${source.last}`);
}

/** A stream that a hook has opened, or a plan restored. */
export function refOf(source: Source): StreamRef {
  if (source.ref === undefined) throw new Error(`stream "${source.plan.key.name}" was not opened`);
  const { sourceId, generation } = source.ref;
  return { sourceId, generation };
}

/** A business failure of the reader, not a reliable one (STR-43). */
function refusedError(source: Source, { refused }: StreamRefusal): Error {
  return refused === "canceled" ? canceledError(source) : failedError(source, source.end?.error);
}
