/**
 * A map that is changed in place and still shows how it was before. The changed one is a plain `Map`, so that whoever
 * is handed it can clone or serialise it like any other; the earlier one is a view that costs what was changed.
 */
export interface UndoMap<Value> {
  /** With every change. */
  readonly now: Map<string, Value>;
  /** As it was when the changes since the last `keep` began. */
  readonly before: ReadonlyMap<string, Value>;
  put(key: string, value: Value): void;
  delete(key: string): void;
  /** Makes the changes part of `before`. */
  keep(): void;
  /** Takes the changes back. Entries that were deleted move to the end. */
  undo(): void;
}

/** Takes over `map`: nobody else changes it from now on. */
export function undoMap<Value>(map: Map<string, Value>): UndoMap<Value> {
  const replaced = new Map<string, { readonly value: Value } | undefined>();
  const remember = (key: string): void => {
    if (replaced.has(key)) return;
    replaced.set(key, map.has(key) ? { value: map.get(key) as Value } : undefined);
  };
  return {
    now: map,
    before: new MapBefore(map, replaced),
    put(key, value) {
      remember(key);
      map.set(key, value);
    },
    delete(key) {
      remember(key);
      map.delete(key);
    },
    keep() {
      // Clearing an empty map makes another table for it.
      if (replaced.size > 0) replaced.clear();
    },
    undo() {
      for (const [key, old] of replaced) {
        if (old === undefined) map.delete(key);
        else map.set(key, old.value);
      }
      replaced.clear();
    },
  };
}

class MapBefore<Value> implements ReadonlyMap<string, Value> {
  readonly #now: ReadonlyMap<string, Value>;
  /** What each changed key had before; `undefined` when it was not there. */
  readonly #replaced: ReadonlyMap<string, { readonly value: Value } | undefined>;

  constructor(now: ReadonlyMap<string, Value>, replaced: ReadonlyMap<string, { readonly value: Value } | undefined>) {
    this.#now = now;
    this.#replaced = replaced;
  }

  get size(): number {
    let size = this.#now.size;
    for (const [key, old] of this.#replaced) size += Number(old !== undefined) - Number(this.#now.has(key));
    return size;
  }

  get(key: string): Value | undefined {
    const old = this.#replaced.size === 0 ? undefined : this.#replaced.get(key);
    if (old !== undefined) return old.value;
    return this.#replaced.size > 0 && this.#replaced.has(key) ? undefined : this.#now.get(key);
  }

  has(key: string): boolean {
    if (this.#replaced.size === 0 || !this.#replaced.has(key)) return this.#now.has(key);
    return this.#replaced.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, Value]> {
    for (const [key, value] of this.#now) {
      if (!this.#replaced.has(key)) yield [key, value];
    }
    for (const [key, old] of this.#replaced) {
      if (old !== undefined) yield [key, old.value];
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}
