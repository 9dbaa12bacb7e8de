import type { Aspect } from "./aspects/aspect.ts";
import type { Requirement } from "./context.ts";
import { frozenList, frozenRecord } from "./frozen.ts";
import type { Named } from "./infer.ts";
import type { AnyKey } from "./key.ts";
import type { Node } from "./node.ts";
import type { KeysByName, ProvidedBy, RequiredBy, Wires } from "./wires.ts";

/** A graph of any inputs and outputs. It stands here because a mount holds a graph and a graph holds mounts. */
export interface AnyGraph {
  readonly kind: "graph";
  readonly name: string;
  readonly inputs: readonly Requirement[];
  readonly outputs: readonly AnyKey[];
  readonly nodes: readonly (Node | Mount)[];
  /** Around each node of this graph, outside the node's own (CORE-13). */
  readonly aspects: readonly Aspect[];
}

/** A node whose body is another graph (CORE-19). Its type carries the names of the parent's keys only (CORE-49). */
export interface Mount<Required extends string = string, Provided extends string = string> extends Named<
  Required,
  Provided
> {
  readonly kind: "mount";
  readonly id: string;
  readonly graph: AnyGraph;
  /** Child input name to parent key, as the user wrote it. An input of equal name needs no entry. */
  readonly in: Readonly<Record<string, AnyKey>>;
  /** Child input name to constant. */
  readonly fix: Readonly<Record<string, unknown>>;
  /** Child output name to parent key; absent: every output under its own key. */
  readonly out: Readonly<Record<string, AnyKey>> | undefined;
  readonly aspects: readonly Aspect[];
}

/**
 * A child graph as a node of its parent (CORE-19): `mount("score", scoring, { in: { user }, fix: { limit: 10 }, out: { score } })`.
 * A child input takes the parent's key of the same name unless it is wired; an optional one only if that is the very same
 * key. The child starts at once and takes each input when it arrives (CORE-20).
 */
export function mount<
  Child extends AnyGraph,
  const In extends KeysByName = Record<never, never>,
  Fixed extends string = never,
  const Out extends KeysByName = KeysByName,
>(
  id: string,
  child: Child,
  wires?: Wires<Child, In, Fixed, Out>,
): Mount<RequiredBy<Child, In, Fixed>, ProvidedBy<Child, Out>> {
  const made: Omit<Mount, keyof Named> = {
    kind: "mount",
    id,
    graph: child,
    in: frozenRecord<AnyKey>(wires?.in ?? {}),
    fix: frozenRecord<unknown>(wires?.fix ?? {}),
    out: wires?.out === undefined ? undefined : frozenRecord<AnyKey>(wires.out),
    aspects: frozenList(wires?.aspects ?? []),
  };
  // The cast adds the names that only types hold.
  return Object.freeze(made) as Mount<RequiredBy<Child, In, Fixed>, ProvidedBy<Child, Out>>;
}
