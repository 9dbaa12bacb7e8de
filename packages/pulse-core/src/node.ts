import type { Aspect } from "./aspects/aspect.ts";
import type { Context, KeyOf, Requirement, Settled } from "./context.ts";
import { frozenList } from "./frozen.ts";
import type { NameOf } from "./infer.ts";
import type { AnyKey, Key, OptionalKey } from "./key.ts";

/** What a body takes: the values of what it requires, by key name. */
export type ValuesOf<Requires extends readonly Requirement[]> = {
  readonly [Entry in Requires[number] as KeyOf<Entry> extends { readonly name: infer Name extends string }
    ? Name
    : never]: Entry extends OptionalKey<string, infer Value, unknown>
    ? Value | undefined
    : Entry extends Key<string, infer Value, unknown>
      ? Value
      : never;
};

/** What a body returns: what it provides, by key name. */
export type ResultOf<Provides extends readonly AnyKey[]> = [Provides[number]] extends [never]
  ? void | undefined | Record<string, never>
  : {
      readonly [Entry in Provides[number] as Entry["name"]]: Entry extends Key<string, infer Value, unknown>
        ? Value | Settled
        : never;
    };

export type Body<Requires extends readonly Requirement[], Provides extends readonly AnyKey[]> = (
  values: ValuesOf<Requires>,
  context: Context<Extract<KeyOf<Requires[number]>, AnyKey>, Provides[number]>,
) => ResultOf<Provides> | Promise<ResultOf<Provides>>;

/** A unit of work (CORE-4). Its type carries names only: value types live in the keys (CORE-49). */
export interface Node<Required extends string = string, Provided extends string = string> {
  readonly kind: "node";
  readonly id: string;
  readonly requires: readonly Requirement[];
  readonly provides: readonly AnyKey[];
  readonly aspects: readonly Aspect[];
  readonly body: (values: never, context: never) => unknown;
  readonly required?: Required;
  readonly provided?: Provided;
}

export interface NodeSpec<Requires extends readonly Requirement[], Provides extends readonly AnyKey[]> {
  readonly requires?: Requires;
  readonly provides?: Provides;
  /** Around the body, outermost first; inside the graph's and the execution's (CORE-13). */
  readonly aspects?: readonly Aspect[];
}

/** A node: `node("shorten", { requires: [page], provides: [summary] }, ({ page }) => ({ summary: … }))`. */
export function node<
  const Requires extends readonly Requirement[] = readonly [],
  const Provides extends readonly AnyKey[] = readonly [],
>(
  id: string,
  spec: NodeSpec<Requires, Provides>,
  body: Body<Requires, Provides>,
): Node<NameOf<Requires[number]>, Provides[number]["name"]> {
  return Object.freeze({
    kind: "node",
    id,
    requires: frozenList<Requirement>(spec?.requires),
    provides: frozenList<AnyKey>(spec?.provides),
    aspects: frozenList(spec?.aspects),
    body,
  });
}
