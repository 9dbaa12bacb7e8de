import { fromBase64, viewMakers } from "./binary.ts";
import { errorKindsByName, makeError, setStack, type ErrorKind } from "./error-kinds.ts";
import type { Place, Step } from "./place.ts";

type Tagged = readonly unknown[];

/**
 * Builds the value that a parsed `structured()` text describes. Objects of `parsed` are used for the value.
 * Only classes of the language are built, and properties are defined on objects that own them already, so that no prototype is
 * touched (CODEC-8). It takes what is well-shaped; the caller proves the text canonical by writing the value again (CODEC-14).
 */
export function readStructured(parsed: unknown, place: Place): unknown {
  return new StructuredReader(place).read(parsed);
}

class StructuredReader {
  readonly #place: Place;
  readonly #objects: object[] = [];
  readonly #placeholder = {};

  constructor(place: Place) {
    this.#place = place;
  }

  read(parsed: unknown): unknown {
    if (typeof parsed !== "object" || parsed === null) return parsed;
    return Array.isArray(parsed) ? this.#readTagged(parsed) : this.#readPlain(parsed as Record<string, unknown>);
  }

  #part(step: Step, parsed: unknown): unknown {
    this.#place.enter(step);
    const value = this.read(parsed);
    this.#place.leave();
    return value;
  }

  #malformed(): never {
    this.#place.refuse("this is nothing that structured() writes");
  }

  #keep<Value extends object>(value: Value): Value {
    this.#place.openContainer();
    this.#objects.push(value);
    return value;
  }

  /** Integer-like keys come first in a JavaScript object, but the text numbers objects by sorted keys. */
  #readPlain(parsed: Record<string, unknown>): object {
    this.#keep(parsed);
    // Every key is an own property already, `__proto__` too, so an assignment sets just that.
    for (const key of Object.keys(parsed).sort()) parsed[key] = this.#part(key, parsed[key]);
    return parsed;
  }

  #readTagged(parsed: Tagged): unknown {
    const tag = parsed[0];
    if (tag === 0) return this.#readArray(parsed);
    if (typeof tag !== "string") this.#malformed();
    switch (tag) {
      case "ref":
        return this.#objects[this.#index(parsed[1])] ?? this.#malformed();
      case "undefined":
        return undefined;
      case "NaN":
      case "Infinity":
      case "-Infinity":
        return Number(tag);
      case "bigint":
        return BigInt(this.#text(parsed[1]));
      case "null":
        return this.#readNullPrototype(parsed[1]);
      case "sparse":
        return this.#readSparse(parsed);
      case "Date":
        return this.#keep(new Date(parsed[1] === null ? Number.NaN : this.#index(parsed[1], -8.64e15)));
      case "Map":
        return this.#readMap(parsed);
      case "Set":
        return this.#readSet(parsed);
      case "RegExp":
        return this.#readRegExp(parsed);
      case "URL":
        return this.#keep(new URL(this.#text(parsed[1])));
      case "ArrayBuffer":
        return this.#keep(fromBase64(this.#text(parsed[1])));
      default:
        return this.#readNamed(tag, parsed);
    }
  }

  #readNamed(tag: string, parsed: Tagged): unknown {
    const error = errorKindsByName.get(tag);
    if (error !== undefined) return this.#readError(error, parsed);
    return viewMakers.has(tag) ? this.#readView(tag, parsed) : this.#malformed();
  }

  #text(parsed: unknown): string {
    return typeof parsed === "string" ? parsed : this.#malformed();
  }

  #index(parsed: unknown, least = 0): number {
    return Number.isSafeInteger(parsed) && (parsed as number) >= least ? (parsed as number) : this.#malformed();
  }

  #record(parsed: unknown): Record<string, unknown> {
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) this.#malformed();
    return parsed as Record<string, unknown>;
  }

  #readArray(parsed: Tagged): unknown[] {
    const value = this.#keep<unknown[]>([]);
    for (let at = 1; at < parsed.length; at++) value.push(this.#part(at - 1, parsed[at]));
    return value;
  }

  #readSparse(parsed: Tagged): unknown[] {
    const value = this.#keep<unknown[]>([]);
    const length = this.#index(parsed[1]);
    if (length >= 2 ** 32) this.#malformed();
    value.length = length;
    for (let at = 2; at < parsed.length; at += 2) {
      const index = this.#index(parsed[at]);
      if (index >= length) this.#malformed();
      value[index] = this.#part(index, parsed[at + 1]);
    }
    return value;
  }

  #readNullPrototype(parsed: unknown): object {
    const source = this.#record(parsed);
    // Without a prototype `__proto__` is a name like any other.
    const value = this.#keep(Object.create(null) as Record<string, unknown>);
    for (const key of Object.keys(source).sort()) value[key] = this.#part(key, source[key]);
    return value;
  }

  #readMap(parsed: Tagged): Map<unknown, unknown> {
    const value = this.#keep(new Map<unknown, unknown>());
    for (let at = 1; at < parsed.length; at += 2) {
      const index = (at - 1) / 2;
      const key = this.#part({ inside: `Map key ${index}` }, parsed[at]);
      value.set(key, this.#part({ inside: `Map value ${index}` }, parsed[at + 1]));
    }
    return value;
  }

  #readSet(parsed: Tagged): Set<unknown> {
    const value = this.#keep(new Set<unknown>());
    for (let at = 1; at < parsed.length; at++) value.add(this.#part({ inside: `Set item ${at - 1}` }, parsed[at]));
    return value;
  }

  #readRegExp(parsed: Tagged): RegExp {
    const value = this.#keep(new RegExp(this.#text(parsed[1]), this.#text(parsed[2])));
    value.lastIndex = this.#index(parsed[3]);
    return value;
  }

  #readView(kind: string, parsed: Tagged): ArrayBufferView {
    // The view has its number before its buffer, which is only known afterwards.
    this.#keep(this.#placeholder);
    const number = this.#objects.length - 1;
    const memory = parsed[1];
    if (!Array.isArray(memory) || (memory[0] !== "ArrayBuffer" && memory[0] !== "ref")) this.#malformed();
    const buffer = this.read(memory);
    if (!(buffer instanceof ArrayBuffer)) this.#malformed();
    const view = viewMakers.get(kind)?.(buffer) ?? this.#malformed();
    this.#objects[number] = view;
    return view;
  }

  #readError(kind: ErrorKind, parsed: Tagged): Error {
    const error = this.#keep(makeError(kind));
    this.#defineAll(error, this.#record(parsed[1]), false);
    this.#defineAll(error, this.#record(parsed[2]), true);
    setStack(error);
    return error;
  }

  #defineAll(error: Error, source: Record<string, unknown>, enumerable: boolean): void {
    for (const key of Object.keys(source).sort()) {
      const value = this.#part(key, source[key]);
      Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
    }
  }
}
