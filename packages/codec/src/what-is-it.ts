import { types } from "node:util";

/** A short name of a value for messages: `a function`, `a Promise`, `an instance of class Money`. Never throws. */
export function whatIsIt(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return "a bigint";
    case "string":
    case "number":
    case "boolean":
      return `a ${typeof value}`;
    case "object":
      return value === null ? "null" : whatObject(value);
    default:
      return "a value";
  }
}

function whatObject(value: object): string {
  try {
    if (types.isPromise(value)) return "a Promise";
    if (types.isWeakMap(value)) return "a WeakMap";
    if (types.isWeakSet(value)) return "a WeakSet";
    if (value instanceof WeakRef) return "a WeakRef";
    if (types.isGeneratorObject(value)) return "a generator";
    if (Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype) return "an array";
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === null || prototype === Object.prototype) return "an object";
    const maker: unknown = (prototype as { readonly constructor?: unknown }).constructor;
    const name = typeof maker === "function" ? maker.name : "";
    return name === "" ? "an instance of a class without a name" : `an instance of class ${name}`;
  } catch {
    // A proxy whose traps throw has no name to tell.
    return "an object that throws when it is looked at";
  }
}

/**
 * True for what hands on values over time: async iterables, web streams, Node streams, message ports.
 * Such a channel lives in one process and cannot be stored (CODEC-10, STR-14).
 */
export function isLiveChannel(value: object): boolean {
  if (Symbol.asyncIterator in value) return true;
  if (typeof WritableStream === "function" && value instanceof WritableStream) return true;
  if (typeof TransformStream === "function" && value instanceof TransformStream) return true;
  if (typeof MessagePort === "function" && value instanceof MessagePort) return true;
  if (typeof BroadcastChannel === "function" && value instanceof BroadcastChannel) return true;
  // A Node Writable or socket is no async iterable; `pipe` stands on the legacy Stream that all of them extend.
  const shape = value as { readonly pipe?: unknown; readonly on?: unknown };
  return !isPlain(value) && typeof shape.pipe === "function" && typeof shape.on === "function";
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The reason that refuses a live channel. */
export const liveChannelReason =
  "it is a live channel (a stream or an async iterable), which cannot be stored; declare a stream key for it";
