import { asCodecError } from "./errors.ts";
import { Place } from "./place.ts";
import { whatIsIt } from "./what-is-it.ts";
import { isWellFormed, mustEscape } from "./utf8.ts";

/**
 * The canonical JSON of a value (RFC 8785): object keys sorted by UTF-16 code units, no white space,
 * numbers as JavaScript prints them; with one departure, `-0` is written `-0` (CODEC-8). Equal values have equal texts.
 *
 * Takes null, booleans, finite numbers, well-formed strings, dense arrays and plain objects.
 * @throws PULSE_CODEC by path for anything else, `undefined` as a property included, and beyond `depthMax` and `valueBytesMax` (CODEC-12).
 */
export function canonicalJson(value: unknown): string {
  const place = new Place("encode", undefined);
  try {
    const writer = new JsonWriter(place, "refuse");
    writer.write(value);
    return writer.text;
  } catch (error) {
    throw asCodecError(error, { action: "encode", key: undefined, path: place.path, reason: "reading it failed" });
  }
}

/** A string as JSON; refuses half surrogate pairs, which no UTF-8 can carry. */
export function stringText(value: string, place: Place): string {
  if (!isWellFormed(value)) place.refuse("the string has a lone surrogate, which UTF-8 cannot hold");
  // Most need no escape, and what JSON writes is then the string itself: a long one is not copied.
  return mustEscape.test(value) ? JSON.stringify(value) : `"${value}"`;
}

/** A number as JSON; refuses NaN and infinities (CODEC-8). */
export function numberText(value: number, place: Place): string {
  if (!Number.isFinite(value)) place.refuse(`${value} is no JSON number; give the schema a codec that maps it`);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The own data properties of a plain object in canonical order; refuses what JSON would lose. */
export function sortedKeys(value: object, place: Place): string[] {
  const keys: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === "symbol") place.refuse(`the property ${String(key)} has a symbol for its name`);
    keys.push(key);
  }
  return keys.length > 1 ? keys.sort() : keys;
}

/** An own property's value, read without running a getter. */
export function dataValue(value: object, key: string | number, place: Place): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(value, key);
  if (descriptor === undefined) place.refuse("the property is listed, but not there (a proxy?)");
  if (!("value" in descriptor)) place.refuse("it is an accessor (a getter or setter), which cannot come back as one");
  if (descriptor.enumerable !== true) place.refuse("the property is not enumerable and would come back enumerable");
  return descriptor.value;
}

/** Writes plain JSON data. What is none is refused by path, or, for a caller with another way to write it, told. */
export class JsonWriter {
  readonly #place: Place;
  readonly #foreign: "refuse" | "tell";
  readonly #parts: string[] = [];
  /** False once something was met that is no plain JSON: the text is then useless. */
  plain = true;

  constructor(place: Place, foreign: "refuse" | "tell") {
    this.#place = place;
    this.#foreign = foreign;
  }

  get text(): string {
    return this.#parts.join("");
  }

  /** NaN, infinities and lone surrogates are refused at once, also after something foreign was met (CODEC-8). */
  write(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.#put(stringText(value, this.#place));
      case "number":
        return this.#put(numberText(value, this.#place));
      case "boolean":
        return this.#put(value ? "true" : "false");
      case "object":
        if (value === null) return this.#put("null");
        return Array.isArray(value) ? this.#writeArray(value) : this.#writeObject(value);
      default:
        return this.#meetForeign(value);
    }
  }

  #meetForeign(value: unknown): void {
    if (this.#foreign === "refuse") {
      this.#place.refusePromise(value);
      this.#place.refuse(`${whatIsIt(value)} is no JSON`);
    }
    this.plain = false;
  }

  #put(text: string): void {
    this.#place.spend(text.length);
    this.#parts.push(text);
  }

  #writeArray(value: readonly unknown[]): void {
    if (Object.getPrototypeOf(value) !== Array.prototype) return this.#meetForeign(value);
    this.#place.openContainer();
    this.#put("[");
    for (let index = 0; index < value.length; index++) {
      this.#place.enter(index);
      if (index > 0) this.#put(",");
      if (index in value) this.write(dataValue(value, index, this.#place));
      else this.#meetForeign(undefined);
      this.#place.leave();
      // Holes may be billions; the text is useless anyway.
      if (!this.plain) return;
    }
    this.#put("]");
  }

  #writeObject(value: object): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return this.#meetForeign(value);
    this.#place.openContainer();
    let separator = "{";
    for (const key of sortedKeys(value, this.#place)) {
      this.#place.enter(key);
      this.#put(separator);
      this.#put(stringText(key, this.#place));
      this.#put(":");
      this.write(dataValue(value, key, this.#place));
      this.#place.leave();
      separator = ",";
    }
    this.#put(separator === "{" ? "{}" : "}");
  }
}
