/**
 * A copy of plain data: what either side changes the other does not see (STR-18, STR-2). Arrays, plain objects, maps, sets,
 * dates, regular expressions and bytes are copied, rings and shared parts as such. Everything else is given as it is: an
 * instance of a class, a function, an object with a getter or one that cannot be looked into. Whoever records it knows what to
 * make of it, or refuses it (CODEC-7).
 */
export function copyOf<Value>(value: Value): Value {
  const copies = new Map<object, object>();
  const todo: (() => void)[] = [];
  const take = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const started = startedCopy(part, take);
    if (started === undefined) return part;
    copies.set(part, started.copy);
    if (started.fill !== undefined) todo.push(started.fill);
    return started.copy;
  };
  const copy = take(value);
  // No recursion: data may be deeper than the stack.
  for (let fill = todo.pop(); fill !== undefined; fill = todo.pop()) fill();
  return copy as Value;
}

interface Started {
  readonly copy: object;
  /** Puts the parts in. */
  readonly fill?: () => void;
}

/** `undefined`: it is given as it is. What cannot be looked into fails here, and never later. */
function startedCopy(part: object, take: (inner: unknown) => unknown): Started | undefined {
  try {
    const prototype: unknown = Object.getPrototypeOf(part);
    if (prototype === Array.prototype && Array.isArray(part)) return fieldsCopy(part, [], take);
    if (prototype === Object.prototype || prototype === null)
      return fieldsCopy(part, Object.create(prototype) as object, take);
    // Fields of its own would be lost.
    if (!ArrayBuffer.isView(part) && Object.keys(part).length > 0) return undefined;
    if (prototype === Map.prototype) return mapCopy([...(part as ReadonlyMap<unknown, unknown>)], take);
    if (prototype === Set.prototype) return setCopy([...(part as ReadonlySet<unknown>)], take);
    return cloned.has(prototype) ? { copy: structuredClone(part) } : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` when there is more in it than fields that hold a value. */
function fieldsCopy(part: object, copy: object, take: (inner: unknown) => unknown): Started | undefined {
  const isArray = Array.isArray(copy);
  const fields = Object.entries(Object.getOwnPropertyDescriptors(part)).filter(
    ([name]) => !isArray || name !== "length",
  );
  const isPlain = fields.every(([, field]) => field.enumerable === true && "value" in field);
  if (!isPlain || Object.getOwnPropertySymbols(part).length > 0) return undefined;
  if (isArray) copy.length = (part as readonly unknown[]).length;
  return {
    copy,
    fill() {
      // As a field of its own, whatever its name: `__proto__` is one.
      for (const [name, { value }] of fields)
        Object.defineProperty(copy, name, { value: take(value), enumerable: true, writable: true, configurable: true });
    },
  };
}

function mapCopy(entries: readonly (readonly [unknown, unknown])[], take: (inner: unknown) => unknown): Started {
  const copy = new Map<unknown, unknown>();
  return {
    copy,
    fill() {
      for (const [key, value] of entries) copy.set(take(key), take(value));
    },
  };
}

function setCopy(values: readonly unknown[], take: (inner: unknown) => unknown): Started {
  const copy = new Set<unknown>();
  return {
    copy,
    fill() {
      for (const value of values) copy.add(take(value));
    },
  };
}

/** What the platform copies faithfully, when it is of no class of its own. */
const cloned: ReadonlySet<unknown> = new Set<unknown>(
  [Date, RegExp, ArrayBuffer, DataView, ...typedArrays()].map((constructor) => constructor.prototype),
);

function typedArrays(): readonly { readonly prototype: unknown }[] {
  return [
    Uint8Array,
    Uint8ClampedArray,
    Uint16Array,
    Uint32Array,
    Int8Array,
    Int16Array,
    Int32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  ];
}
