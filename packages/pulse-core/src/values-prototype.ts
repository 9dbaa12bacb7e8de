import { keyOfEntry } from "./key-of-entry.ts";
import type { Node } from "./node.ts";
import { misuse } from "./run/signals.ts";

/** Names that engines, `await`, `JSON` and consoles ask any object for: absent, and no mistake of a body's. */
const askedOfAnyObject = new Set([
  "then",
  "toJSON",
  "constructor",
  "valueOf",
  "toString",
  "nodeType",
  "$$typeof",
  "href",
]);

const nodeId = Symbol("node");

/** Stands behind every object of values: what reaches it was not declared. One for all nodes, since they may be many. */
const guard: object = new Proxy(Object.create(null) as object, {
  get(_target, name, receiver: { readonly [nodeId]: string }) {
    if (typeof name === "symbol" || askedOfAnyObject.has(name)) return undefined;
    const id = receiver[nodeId];
    throw misuse("CORE-9", id, `reads key "${name}", which it does not require; add it to its requires`, name);
  },
  has: () => false,
});

/**
 * The prototype of the objects that hand a node's values to its body: `Object.create(…)`, then an assignment a key. It has
 * every required name, so that assigning one never asks the guard, and all objects of a node share a shape; any other name
 * falls through to the guard, which refuses it (CORE-9). Measured against classes, spreads and proxies of their own: the
 * fastest by half, and a quarter of the memory at 100,000 nodes.
 */
export function valuesPrototype(node: Node): object {
  const prototype = Object.create(guard, { [nodeId]: { value: node.id } }) as object;
  for (const entry of node.requires)
    Object.defineProperty(prototype, keyOfEntry(entry).name, { value: undefined, writable: true, configurable: true });
  return prototype;
}
