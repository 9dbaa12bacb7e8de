import { checkpoint, restoreNodes } from "../checkpoint/bridge.ts";
import type { CheckpointHooks, RestorePlan } from "../checkpoint/hooks.ts";
import type { RestoredGroup, RestoredStream, StreamHooks } from "../checkpoint/stream-hooks.ts";
import type { AnyGraph } from "../mount.ts";
import { execution } from "../run/execution.ts";
import type { ExecutionOptions } from "../run/options.ts";
import { memoryHooks } from "./memory-hooks.ts";

/** What a test says of a recorded stream: its messages are `m1`, `m2`, …; what no group has pending is gone. */
export interface RecordedStream extends Pick<RestoredStream, "path" | "key" | "last"> {
  readonly groups: readonly Pick<RestoredGroup, "name" | "pending">[];
  readonly end?: RestoredStream["end"];
  readonly position?: unknown;
  readonly stopped?: readonly string[];
}

/** A stream as a record gives it; the id of its source is its path and key. `onRead` is told each reading of a message. */
export function recorded(stream: RecordedStream, onRead: (sequence: number) => void = () => {}): RestoredStream {
  const { path, key, last, groups, end = "open", position, stopped = [] } = stream;
  const pending = [...new Set(groups.flatMap((group) => group.pending))].toSorted((left, right) => left - right);
  return {
    sourceId: `${path}:${key}`,
    generation: 2,
    path,
    key,
    last,
    end,
    ...(position === undefined ? {} : { position: () => position }),
    groups: groups.map(({ name, pending: left }) => ({
      name,
      ackedThrough: (left[0] ?? last + 1) - 1,
      pending: left,
      stopped: stopped.includes(name),
    })),
    messages: pending.map((sequence) => ({ sequence, read: () => (onRead(sequence), `m${sequence}`) })),
  };
}

/** Hooks that confirm at once and know the streams that a test restores. */
export function hooksOver(
  streams: readonly RestoredStream[],
  replaced: Partial<CheckpointHooks> = {},
): CheckpointHooks & { readonly calls: readonly string[] } {
  const plain = memoryHooks(replaced);
  const calls: string[] = [];
  const last = new Map(streams.map((stream) => [stream.sourceId, stream.last]));
  const opened = new Map<string, string[]>();
  const hooks: StreamHooks = {
    open: async ({ path, key, groups, attempt }) => {
      calls.push(`open ${path}`);
      // The first attempt that asks is the recorded one; another at this place is of another try, and its stream is new.
      const place = `${path}:${key.name}`;
      const attempts = opened.get(place) ?? [];
      if (!attempts.includes(attempt)) attempts.push(attempt);
      opened.set(place, attempts);
      const known = streams.find((stream) => stream.sourceId === place);
      if (known !== undefined && attempts[0] === attempt) return { ...known, state: "resumed" };
      const fresh = groups.map((group) => ({ ...group, ackedThrough: 0, pending: [] }));
      const sourceId = `${place}#${attempts.indexOf(attempt)}`;
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
    },
    append: async ({ sourceId, message }) => {
      const sequence = (last.get(sourceId) ?? 0) + 1;
      last.set(sourceId, sequence);
      return { sequence, read: () => message.value };
    },
    openMessage: async () => ({ index: 1, exhausted: false }),
    failMessage: async () => {},
    commit: async () => ({ values: [], sends: [] }),
    finish: async () => {},
    prepare: ({ value }) => value,
  };
  return { ...plain, calls, streams: hooks };
}

/** An execution without inputs that restores a plan, over {@link hooksOver} of its streams. Not started. */
export function restoring<Graph extends AnyGraph>(
  of: Graph,
  plan: RestorePlan,
  replaced: Partial<CheckpointHooks> = {},
  options: ExecutionOptions = {},
) {
  const hooks = hooksOver(plan.streams ?? [], replaced);
  // The cast holds as the graphs of these tests have no inputs.
  const running = execution(of, {} as never, { ...options, checkpoint: checkpoint({ scope: "root", hooks }) });
  restoreNodes(running, plan);
  return { running, hooks };
}
