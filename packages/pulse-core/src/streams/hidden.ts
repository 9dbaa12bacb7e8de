import type { PulseError } from "../errors.ts";
import { streamMisuse } from "./stream-errors.ts";

/** Every end of a stream that a body can hold: told by identity, so that nothing can look like one. */
const ends = new WeakSet<object>();

/** Notes an end of a stream. */
export function noteEnd<End extends object>(end: End): End {
  ends.add(end);
  return end;
}

/**
 * Refuses a value that hides a stream: a reader, a writer or a delivery, at any depth, and with `live`, where values are
 * recorded, any other live channel (STR-14).
 */
export function refuseHidden(
  path: string,
  key: string,
  value: unknown,
  live: boolean,
): { readonly error: PulseError } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const where = hiddenIn(value, live);
  if (where === undefined) return undefined;
  const what = `writes key "${key}" with a stream inside${where === "" ? "" : `, at ${where}`}; a stream is passed by a stream key alone`;
  return { error: streamMisuse("STR-14", path, key, what) };
}

/**
 * Where in a value a stream is, as a path like `.a[0]`; `undefined` if there is none. Each object is visited once, so rings
 * end. It looks into arrays, maps, sets and own fields, and calls no getter; `live` asks each object for the methods of channels.
 */
export function hiddenIn(value: object, live: boolean): string | undefined {
  const isHidden = (inner: object): boolean => ends.has(inner) || (live && isLiveChannel(inner));
  if (isHidden(value)) return "";
  const seen = new Set<object>([value]);
  const todo: { readonly value: object; readonly path: string }[] = [{ value, path: "" }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { path } = next;
    for (const [name, inner] of objectsIn(next.value)) {
      if (seen.has(inner)) continue;
      const at = `${path}${name}`;
      if (isHidden(inner)) return at;
      seen.add(inner);
      todo.push({ value: inner, path: at });
    }
  }
  return undefined;
}

/** Async iterables, the streams of the web and those of Node: what gives its values over time (STR-14). */
function isLiveChannel(value: object): boolean {
  try {
    const { pipe, on, getReader, getWriter } = value as Readonly<Record<string, unknown>>;
    const isFunction = (part: unknown): boolean => typeof part === "function";
    return (
      isFunction((value as { readonly [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator]) ||
      isFunction(getReader) ||
      isFunction(getWriter) ||
      (isFunction(pipe) && isFunction(on))
    );
  } catch {
    // A getter that throws: no channel that could be used.
    return false;
  }
}

/** The objects right inside a value. One that cannot be looked into, as a proxy may be, holds none that could be found. */
function objectsIn(value: object): readonly (readonly [string, object])[] {
  try {
    const found: (readonly [string, object])[] = [];
    for (const [name, inner] of partsOf(value))
      if (typeof inner === "object" && inner !== null) found.push([name, inner]);
    return found;
  } catch {
    return [];
  }
}

function* partsOf(value: object): Iterable<readonly [string, unknown]> {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return;
  if (value instanceof Map)
    for (const [key, inner] of value) {
      yield [".key", key];
      yield [typeof key === "string" ? `.get("${key}")` : ".get(…)", inner];
    }
  else if (value instanceof Set) for (const inner of value) yield [".value", inner];
  for (const name of Object.keys(value)) {
    const inner: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    yield [Array.isArray(value) ? `[${name}]` : `.${name}`, inner];
  }
}
