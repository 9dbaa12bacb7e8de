import type { FingerprintKey } from "@pulse-ts/codec";
import type { CodedKey } from "./values.ts";
import type { ReadyBytes } from "../record/format.ts";
import { idsKey } from "../record/entry-key.ts";
import type { BoundaryView, ChildInput, DefinitionView } from "../integrity/definition-view.ts";

/** A graph that durable has validated and given its codecs and its definition fingerprint, before any acquire. */
export interface Prepared {
  /** The whole definition's fingerprint (DUR-5). */
  readonly definition: string;
  /** A short hash for each part of it, so that a difference can be named (DUR-4, D7). */
  readonly outline: Readonly<Record<string, string>>;
  /** What the checks of a loaded record need to know (REC-17 to REC-19). */
  readonly view: DefinitionView;
  /** The graph instances by static path; empty for the root. */
  readonly graphs: ReadonlyMap<string, PreparedGraph>;
  readonly root: PreparedGraph;
  /** The streams by {@link streamId} of their writers. */
  readonly streams: ReadonlyMap<string, PreparedStream>;
  /** The encrypting codecs that have a part in the run's fingerprints (CODEC-19). */
  readonly fingerprintKeys: readonly FingerprintKey[];
  /** Those of them that have a part in the definition. */
  readonly definitionKeys: readonly FingerprintKey[];
}

/** One static place of a graph. */
export interface PreparedGraph {
  readonly graph: string;
  readonly path: string;
  readonly inputs: ReadonlyMap<string, CodedKey>;
  /** Names, in their order. */
  readonly outputs: readonly string[];
  readonly nodes: ReadonlyMap<string, PreparedNode>;
}

export interface PreparedNode {
  readonly id: string;
  readonly path: string;
  /** Names of the plain keys that it requires; of a mount: those that its `in` reads. */
  readonly requires: readonly string[];
  /** In the order of the node's `provides`. */
  readonly provides: readonly ProvidedKey[];
  /** The retries of its effective chain, outermost first; absent when it has none. */
  readonly boundaries?: readonly BoundaryView[];
  readonly mount?: PreparedMount;
}

/** The key of a node by its name. `at`: where it most likely stands; outputs are recorded in the order of `provides`. */
export function providedKey(node: PreparedNode | undefined, name: string, at: number): ProvidedKey | undefined {
  const likely = node?.provides[at];
  return likely?.name === name ? likely : node?.provides.find((key) => key.name === name);
}

export interface ProvidedKey extends CodedKey {
  /** The key's type, by identity (CKPT-24). */
  readonly type: unknown;
}

export interface PreparedMount {
  /** Of the child scope (REC-3, CKPT-23). */
  readonly fingerprint: string;
  /** Encoded when the graph was prepared (DUR-22), by child input. */
  readonly fixed: ReadonlyMap<string, { readonly key: CodedKey; readonly record: ReadyBytes }>;
  /** The child's inputs that the fingerprint covers. */
  readonly inputs: readonly string[];
  /** Where each of the child's inputs comes from (REC-3). */
  readonly sources: readonly ChildInput[];
}

/** One stream of the definition, whatever names it has. */
export interface PreparedStream {
  /** The writing node's path. */
  readonly path: string;
  /** Its own key, with the codec of the elements. */
  readonly key: CodedKey;
  readonly position: CodedKey;
  readonly capacity: number;
  readonly resumable: boolean;
  /** The nodes that read it, each in its group (STR-5). */
  readonly readers: readonly { readonly path: string; readonly key: string; readonly group: string }[];
  /** The root outputs that it is. */
  readonly outputs: readonly string[];
  /** Every name that it has: the path of the graph and the key's name in it. */
  readonly names: readonly { readonly path: string; readonly key: string }[];
}

/** Names a stream by its writing node's path and its own key. */
export function streamId(path: string, key: string): string {
  return idsKey(path, key);
}

/** The path of a node in a graph at `path`. */
export function pathIn(path: string, nodeId: string): string {
  return path === "" ? nodeId : `${path}/${nodeId}`;
}
