import type { Aspect } from "./aspects/aspect.ts";
import type { Context, Requirement, Settled } from "./context.ts";
import { frozenList } from "./frozen.ts";
import type { Named } from "./infer.ts";
import type { AnyKey, plain, value } from "./key.ts";

/** What a body takes: the values of what it requires, by key name. */
export type ValuesOf<Requires extends Requirement> = {
  readonly [Entry in Requires as Entry["name"]]: Entry[typeof value];
};

/** What a body returns: what it provides, by key name. Streams are opened, not returned. */
export type ResultOf<Provides extends AnyKey> = [Provides[typeof plain]] extends [never]
  ? void | undefined | Settled | Record<string, never>
  : { readonly [Entry in Provides as Entry[typeof plain]]: Entry[typeof value] | Settled };

/** A node's work: takes values and a context, gives what the node provides, at once or later. */
export type Body<Requires extends Requirement, Provides extends AnyKey> = (
  values: ValuesOf<Requires>,
  context: Context<Requires["name"], Provides["name"]>,
) => ResultOf<Provides> | Promise<ResultOf<Provides>>;

/** A unit of work (CORE-4). Its type carries names only: value types live in the keys (CORE-49). */
export interface Node<Required extends string = string, Provided extends string = string> extends Named<
  Required,
  Provided
> {
  readonly kind: "node";
  readonly id: string;
  readonly requires: readonly Requirement[];
  readonly provides: readonly AnyKey[];
  readonly aspects: readonly Aspect[];
  /** Its next try, or its next run, goes on from the position of the streams it writes (STR-32, STR-48). */
  readonly resumable: boolean;
  readonly body: (values: never, context: never) => unknown;
}

export interface NodeSpec<Requires extends Requirement, Provides extends AnyKey> {
  readonly requires?: readonly Requires[];
  readonly provides?: readonly Provides[];
  /** Around the body, outermost first; inside the graph's and the execution's (CORE-13). */
  readonly aspects?: readonly Aspect[];
  /**
   * The body goes on from `writer.position()` when it is run again: so it may write a stream under a retry of its own
   * (STR-32). Default false.
   */
  readonly resumable?: boolean;
}

/** A node: `node("shorten", { requires: [page], provides: [summary] }, ({ page }) => ({ summary: … }))`. */
export function node<Requires extends Requirement = never, Provides extends AnyKey = never>(
  id: string,
  spec: NodeSpec<Requires, Provides>,
  body: Body<Requires, Provides>,
): Node<Requires["name"], Provides["name"]> {
  const made: Omit<Node, keyof Named> = {
    kind: "node",
    id,
    requires: frozenList<Requirement>(spec?.requires ?? []),
    provides: frozenList<AnyKey>(spec?.provides ?? []),
    aspects: frozenList(spec?.aspects ?? []),
    resumable: spec?.resumable === true,
    body,
  };
  // The cast adds the names that only types hold.
  return Object.freeze(made) as Node<Requires["name"], Provides["name"]>;
}
