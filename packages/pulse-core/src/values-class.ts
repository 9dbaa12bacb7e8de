import { PulseError } from "./errors.ts";
import type { Node } from "./node.ts";

/** Names that engines, `await`, `JSON` and consoles ask any object for: absent, and no mistake of a body's. */
const askedOfAnyObject = new Set<PropertyKey>(["then", "toJSON", "constructor", "valueOf", "toString", "nodeType", "$$typeof"]);

/**
 * The class of the objects that hand a node's values to its body. A required key is an own property; any other name
 * falls through to the prototype, which refuses it (CORE-9). This costs nothing on the way of a declared name.
 */
export function valuesClass(node: Node): new () => Record<string, unknown> {
  const refuse = (key: PropertyKey): never => {
    throw new PulseError(
      "PULSE_USAGE",
      `node "${node.id}" reads key "${String(key)}", which it does not require; add the key to its requires`,
      { details: { rule: "CORE-9", path: node.id, key: String(key) } },
    );
  };
  const prototype = new Proxy(Object.create(null) as object, {
    get: (_target, name) => (typeof name === "symbol" || askedOfAnyObject.has(name) ? undefined : refuse(name)),
    has: () => false,
  });
  function Values(): void {}
  Values.prototype = prototype;
  // A plain function with a prototype of its own is a constructor; TypeScript knows only classes as such.
  return Values as unknown as new () => Record<string, unknown>;
}
