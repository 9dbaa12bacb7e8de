import type { OpenedStream } from "../checkpoint/stream-hooks.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { Confirming } from "./confirming.ts";
import { differenceOf, restoreSource } from "./restored.ts";
import type { Source } from "./source.ts";

/**
 * Has a stream opened, once for each process, whoever asks first (CKPT-30). What a plan has restored of it stays: readers may
 * have gone on since (CKPT-26). @throws the reliable failure of a hook that recognised another stream
 */
export async function openConfirmed(
  confirming: Confirming,
  source: Source,
  level: NodeContext,
  root: ExecutionState,
): Promise<void> {
  const { key } = source.plan;
  const { node, execution, path } = level;
  await confirming.ask("streams.open", { execution: root, path }, async (covered) => {
    const opened = checkedOpening(
      await confirming.asked.open({
        scope: execution.scope,
        nodeId: node.id,
        path,
        key,
        attempt: level.root.attemptId,
        resumable: source.plan.node.resumable,
        groups: source.groups.map(({ name, stopped }) => ({ name, stopped })),
        get signal() {
          return covered.signal;
        },
      }),
    );
    if (source.ref === undefined) return restoreSource(source, opened);
    const difference =
      source.ref.sourceId === opened.sourceId ? differenceOf(source, opened) : "it was restored as another source";
    if (difference !== undefined) throw new TypeError(`open of stream "${key.name}" at "${path}": ${difference}`);
  });
  // Whose last reader ended while it was being opened is recorded as reading: nothing else would stop it (STR-44). So is one
  // whose end is just being confirmed, and one that the host stopped before: when that was asked for, there was no stream to
  // name.
  const left = source.groups
    .filter((group) => group.stopsEarly || (!group.stopped && (group.hasLeft || group.leaving !== undefined)))
    .map((group) => ({ group, leaving: group.leaving }));
  for (const { group, leaving } of left) {
    await leaving;
    if (!group.stopsEarly && !group.hasLeft) continue;
    await confirming.commit(group, path, root);
    group.stopsEarly = false;
    group.stop();
  }
}

/** Looks at what `streams.open` gave back as far as core relies on it. */
function checkedOpening(opened: OpenedStream): OpenedStream {
  if (typeof opened?.sourceId !== "string" || !Array.isArray(opened.groups) || !Array.isArray(opened.messages))
    throw new TypeError("streams.open gave back no stream: a sourceId, groups and messages are needed");
  if (opened.end !== "open") throw new TypeError(`streams.open gave back a stream that is ${opened.end}`);
  return opened;
}
