/**
 * Walks two values at once and tells where they differ first: scalars, types, own properties, or identities
 * (wherever one holds an object again, the other must hold its twin again). `undefined` when they are the same throughout.
 */
export function firstDifference(left: unknown, right: unknown): string | undefined {
  return new Walk().compare(left, right, "$");
}

class Walk {
  readonly #twins = new Map<object, object>();
  readonly #taken = new Set<object>();

  compare(left: unknown, right: unknown, path: string): string | undefined {
    if (!isObject(left) || !isObject(right)) return Object.is(left, right) ? undefined : `${path}: other scalars`;
    const twin = this.#twins.get(left);
    if (twin !== undefined || this.#taken.has(right)) return twin === right ? undefined : `${path}: other identities`;
    this.#twins.set(left, right);
    this.#taken.add(right);
    if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return `${path}: other prototypes`;
    return this.#compareSlots(left, right, path) ?? this.#compareProperties(left, right, path);
  }

  /** What a built-in class holds outside its properties. */
  #compareSlots(left: object, right: object, path: string): string | undefined {
    return this.#compareItems(slotsOf(left), slotsOf(right), path);
  }

  #compareProperties(left: object, right: object, path: string): string | undefined {
    const names = namesOf(left);
    if (names.join("\n") !== namesOf(right).join("\n")) return `${path}: other properties`;
    const values = (from: object): unknown[] => names.map((name) => Object.getOwnPropertyDescriptor(from, name)?.value);
    return this.#compareItems(values(left), values(right), path);
  }

  #compareItems(left: readonly unknown[], right: readonly unknown[], path: string): string | undefined {
    if (left.length !== right.length) return `${path}: other sizes`;
    for (const [index, item] of left.entries()) {
      const difference = this.compare(item, right[index], `${path}/${index}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The stack is not part of an error's value. */
function namesOf(value: object): string[] {
  return Object.getOwnPropertyNames(value)
    .filter((name) => name !== "stack")
    .sort();
}

function slotsOf(value: object): unknown[] {
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (value instanceof URL) return [value.href];
  if (value instanceof RegExp) return [value.source, value.flags];
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  return [];
}
