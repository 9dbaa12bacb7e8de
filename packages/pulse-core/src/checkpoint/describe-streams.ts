import { compile } from "../compile.ts";
import type { AnyKey } from "../key.ts";
import type { AnyGraph } from "../mount.ts";
import { engineOf } from "../run/execution.ts";
import type { Execution } from "../run/execution.ts";
import { planOf } from "../streams/plan.ts";
import type { StreamKey } from "../streams/stream-key.ts";

/** A node that reads a stream: its path, the key under which it has it, and its group (STR-5). */
export interface StreamReaderDescription {
  readonly path: string;
  readonly key: string;
  readonly group: string;
}

/** One stream of a graph, from its writing node to all its readers, whatever mounts lie between (STR-12, CKPT-27). */
export interface StreamDescription {
  /** The writing node's path. */
  readonly path: string;
  /** The key under which it is written. */
  readonly key: AnyKey & StreamKey;
  /** The writing node says that it can continue from its position (STR-48). */
  readonly resumable: boolean;
  readonly readers: readonly StreamReaderDescription[];
  /** The root outputs that it is. */
  readonly outputs: readonly string[];
  /** Every name that it has, its own first: the path of the graph (empty at the root) and the key's name in it. */
  readonly names: readonly { readonly path: string; readonly key: string }[];
}

/** A group of the host on a stream (STR-11, STR-37). */
export interface StreamSubscription {
  /** The writing node's path, and the name of its key. */
  readonly path: string;
  readonly key: string;
  readonly group: string;
}

/** The streams of a valid graph and of every graph mounted in it, also of one whose host has not subscribed (CKPT-39). A copy. */
export function checkpointStreams(graph: AnyGraph): readonly StreamDescription[] {
  if (compile(graph).streams === undefined) return [];
  const { sources } = planOf(graph);
  return sources.map(({ path, key, node, readers, outputs, names }) => ({
    path,
    key,
    resumable: node.resumable,
    readers: readers.map((reader) => ({ path: reader.path, key: reader.key, group: reader.group })),
    outputs: [...outputs],
    names: [...names],
  }));
}

/** What the host has subscribed to so far, in that order; each group once. A copy. */
export function checkpointSubscriptions(execution: Execution<unknown>): readonly StreamSubscription[] {
  return engineOf(execution).state.tree.streams?.subscriptions() ?? [];
}
