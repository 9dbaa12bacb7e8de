import type { NodeContext } from "../run/node-context.ts";
import type { Aspect } from "./aspect.ts";

/** Runs what is inside an aspect, at a level of its own or the one it was given. */
export type Inner = (level: NodeContext) => Promise<unknown> | void;

/** How an aspect of Pulse's own enters a chain: it works on levels, which user aspects cannot. */
export type Enter = (level: NodeContext, place: number, inner: Inner) => Promise<unknown> | void;

/** Where an aspect of Pulse's own keeps its way in: a property, for it is looked up on the path of every node. */
const enterKey = Symbol("enter");

/** Makes an aspect of Pulse's own. Its `run` is what its `enter` is: it is never called. */
export function makeBuiltIn(name: string, enter: Enter, fields: { readonly limit?: number } = {}): Aspect {
  return Object.freeze({
    kind: "aspect",
    name,
    ...fields,
    [enterKey]: enter,
    // Not reached: a chain goes by the way in above.
    run: (context: unknown, next: () => Promise<void>) => enter(context as NodeContext, 0, next),
  });
}

export const builtIn = (aspect: Aspect): Enter | undefined => (aspect as { readonly [enterKey]?: Enter })[enterKey];
