import { PulseError } from "./errors.ts";
import { keyOfEntry } from "./key-of-entry.ts";
import type { Node } from "./node.ts";

/** Names that engines, `await`, `JSON` and consoles ask any object for: absent, and no mistake of a body's. */
const askedOfAnyObject = new Set(["then", "toJSON", "constructor", "valueOf", "toString", "nodeType", "$$typeof"]);

/** Above this many keys the fields are defined one by one: a class for each count would not pay. */
const fieldsMax = 4;

/**
 * The class of the objects that hand a node's values to its body. A required key is an own field; any other name
 * falls through to the prototype, which refuses it (CORE-9). This costs nothing on the way of a declared name.
 */
export function valuesClass(node: Node): new () => Record<string, unknown> {
  const refuse = (name: string): never => {
    throw new PulseError(
      "PULSE_USAGE",
      `node "${node.id}" reads key "${name}", which it does not require; add the key to its requires`,
      { details: { rule: "CORE-9", path: node.id, key: name } },
    );
  };
  const guard = new Proxy(Object.create(null) as object, {
    get: (_target, name) => (typeof name === "symbol" || askedOfAnyObject.has(name) ? undefined : refuse(name)),
    has: () => false,
  });
  const names = node.requires.map((entry) => keyOfEntry(entry).name);
  const Values = classOf(names);
  Object.setPrototypeOf(Values.prototype, guard);
  return Values;
}

/** A class field is defined, not assigned: it never asks the guarding prototype, and all objects of a node share a shape. */
function classOf(names: readonly string[]): new () => Record<string, unknown> {
  const [a = "", b = "", c = "", d = ""] = names;
  switch (names.length) {
    case 0:
      return class {} as new () => Record<string, unknown>;
    case 1:
      return class {
        [a] = undefined as unknown;
      };
    case 2:
      return class {
        [a] = undefined as unknown;
        [b] = undefined as unknown;
      };
    case 3:
      return class {
        [a] = undefined as unknown;
        [b] = undefined as unknown;
        [c] = undefined as unknown;
      };
    case fieldsMax:
      return class {
        [a] = undefined as unknown;
        [b] = undefined as unknown;
        [c] = undefined as unknown;
        [d] = undefined as unknown;
      };
    default:
      return class {
        constructor() {
          for (const name of names)
            Object.defineProperty(this, name, { value: undefined, writable: true, enumerable: true, configurable: true });
        }
      } as unknown as new () => Record<string, unknown>;
  }
}
