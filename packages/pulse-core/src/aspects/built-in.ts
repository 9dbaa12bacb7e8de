import type { NodeContext } from "../run/node-context.ts";
import type { Aspect } from "./aspect.ts";

/** Runs what is inside an aspect, at a level of its own or the one it was given. */
export type Inner = (level: NodeContext) => Promise<void> | void;

/** How an aspect of Pulse's own enters a chain: it works on levels, which user aspects cannot. */
export type Enter = (level: NodeContext, place: number, inner: Inner) => Promise<void> | void;

const enters = new WeakMap<Aspect, Enter>();

/** Makes an aspect of Pulse's own. Its `run` is what its `enter` is: it is never called. */
export function makeBuiltIn(name: string, enter: Enter, fields: { readonly limit?: number } = {}): Aspect {
  const aspect: Aspect = Object.freeze({
    kind: "aspect",
    name,
    ...fields,
    run: (context: unknown, next: () => Promise<void>) => enter(context as NodeContext, 0, next),
  });
  enters.set(aspect, enter);
  return aspect;
}

export const builtIn = (aspect: Aspect): Enter | undefined => enters.get(aspect);
