import { types } from "node:util";
import { BufferWindows, checkBuffer, toBase64, viewKinds } from "./binary.ts";
import { dataValue, sortedKeys, stringText } from "./canonical.ts";
import { errorKinds, hiddenErrorNames } from "./error-kinds.ts";
import { valueBytesMax } from "./limits.ts";
import type { Place, Step } from "./place.ts";
import { isLiveChannel, liveChannelReason, whatIsIt } from "./what-is-it.ts";

/**
 * Longer typed arrays and (full) arrays are not searched for properties that are no elements: to list them, JavaScript lists all indices,
 * which would cost more than writing.
 */
const searchedViewMax = 4_096;
const searchedArrayMax = 1_000_000;

/**
 * Writes any value as the text of `structured()` (CODEC-6), or refuses it by path (CODEC-7).
 *
 * The text is JSON. Null, booleans, finite numbers, strings and plain objects stand for themselves, so that data that looks like
 * an envelope stays data; all else is an array whose first item says what it is: `0` an array, a name anything else.
 * Objects are numbered in the order in which they are met; `["ref", n]` is the n-th again, which is how shared references and cycles
 * keep their identity. The order is fixed (keys sorted by UTF-16 code units, Map and Set as they are), so equal values have equal texts.
 */
export function writeStructured(value: unknown, place: Place): string {
  const writer = new StructuredWriter(place);
  writer.write(value);
  writer.finish();
  return writer.text;
}

class StructuredWriter {
  readonly #place: Place;
  readonly #numbers = new Map<object, number>();
  readonly #windows = new BufferWindows();
  text = "";

  constructor(place: Place) {
    this.#place = place;
  }

  finish(): void {
    this.#windows.check(this.#place);
  }

  /** Writes a value after `before`, the punctuation that stands in front of it: one piece of text less for each scalar. */
  write(value: unknown, before = ""): void {
    switch (typeof value) {
      case "string":
        return this.#put(before + stringText(value, this.#place));
      case "number":
        return this.#put(before + numberTextOf(value));
      case "boolean":
        return this.#put(before + (value ? "true" : "false"));
      case "undefined":
        return this.#put(`${before}["undefined"]`);
      case "bigint":
        return this.#put(`${before}["bigint","${value}"]`);
      case "object":
        this.#put(before);
        return value === null ? this.#put("null") : this.#writeReference(value);
      default:
        this.#place.refuse(`${whatIsIt(value)} cannot be stored`);
    }
  }

  #put(text: string): void {
    this.#place.spend(text.length);
    this.text += text;
  }

  #part(step: Step, value: unknown, before: string): void {
    this.#place.enter(step);
    this.write(value, before);
    this.#place.leave();
  }

  #writeReference(value: object): void {
    const number = this.#numbers.get(value);
    if (number !== undefined) return this.#put(`["ref",${number}]`);
    this.#numbers.set(value, this.#numbers.size);
    this.#place.openContainer();
    this.#writeObject(value);
  }

  /** The kind is told by the prototype and then proved by the kind's own method, which throws for an impostor. */
  #writeObject(value: object): void {
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype) return this.#writePlain(value);
    if (prototype === Array.prototype && Array.isArray(value)) return this.#writeArray(value);
    if (prototype === null) return this.#writeNullPrototype(value);
    if (prototype === Map.prototype) return this.#writeMap(value as Map<unknown, unknown>);
    if (prototype === Set.prototype) return this.#writeSet(value as Set<unknown>);
    if (prototype === Date.prototype) return this.#writeDate(value as Date);
    if (prototype === RegExp.prototype) return this.#writeRegExp(value as RegExp);
    if (prototype === URL.prototype) return this.#writeUrl(value as URL);
    if (prototype === ArrayBuffer.prototype) return this.#writeArrayBuffer(value as ArrayBuffer);
    const view = viewKinds.get(prototype);
    if (view !== undefined) return this.#writeView(view, value as ArrayBufferView);
    const error = errorKinds.get(prototype);
    if (error !== undefined && types.isNativeError(value)) return this.#writeError(error.name, value);
    this.#refuseObject(value);
  }

  #refuseObject(value: object): never {
    this.#place.refusePromise(value);
    if (isLiveChannel(value)) this.#place.refuse(liveChannelReason);
    this.#place.refuse(`${whatIsIt(value)} cannot be stored without a codec of its own`);
  }

  #writePlain(value: object): void {
    if (Symbol.asyncIterator in value) this.#place.refuse(liveChannelReason);
    if (Object.prototype.toString.call(value) !== "[object Object]") this.#refuseDisguise(value);
    this.#writeProperties(value, sortedKeys(value, this.#place));
  }

  #refuseDisguise(value: object): never {
    this.#place.refuse(`${whatIsIt(value)} that is inside a ${Object.prototype.toString.call(value)} cannot be stored`);
  }

  #writeProperties(value: object, keys: readonly string[]): void {
    let separator = "{";
    for (const key of keys) {
      this.#place.enter(key);
      const before = `${separator}${stringText(key, this.#place)}:`;
      this.write(dataValue(value, key, this.#place), before);
      this.#place.leave();
      separator = ",";
    }
    this.#put(separator === "{" ? "{}" : "}");
  }

  #writeNullPrototype(value: object): void {
    if (Symbol.asyncIterator in value) this.#place.refuse(liveChannelReason);
    this.#put('["null",');
    this.#writeProperties(value, sortedKeys(value, this.#place));
    this.#put("]");
  }

  #writeArray(value: readonly unknown[]): void {
    if (value.length > searchedArrayMax && isFull(value)) return this.#writeItems(value, undefined);
    const keys = Reflect.ownKeys(value);
    // The own keys of an array are its indices in order, then "length", then whatever else it was given.
    const dense = keys[value.length] === "length";
    const filled = dense ? value.length : keys.indexOf("length");
    if (keys.length !== filled + 1) {
      this.#place.refuse(`the array has a property of its own that would be lost: ${String(keys[filled + 1])}`);
    }
    this.#writeItems(value, dense ? undefined : keys.slice(0, filled));
  }

  /** All items, or of a sparse array those at these indices. */
  #writeItems(value: readonly unknown[], indices: readonly PropertyKey[] | undefined): void {
    const count = indices?.length ?? value.length;
    // A digit and a comma each: what cannot fit is refused before time is spent on it.
    if (count * 2 > valueBytesMax) this.#place.refuseSize(count * 2);
    this.#put(indices === undefined ? "[0" : `["sparse",${value.length}`);
    for (let at = 0; at < count; at++) {
      const index = indices === undefined ? at : Number(indices[at]);
      this.#place.enter(index);
      this.write(dataValue(value, index, this.#place), indices === undefined ? "," : `,${index},`);
      this.#place.leave();
    }
    this.#put("]");
  }

  #noOwnProperties(value: object, except?: string): void {
    for (const key of Reflect.ownKeys(value)) {
      if (key !== except)
        this.#place.refuse(`${whatIsIt(value)} has a property of its own that would be lost: ${String(key)}`);
    }
  }

  #writeMap(value: Map<unknown, unknown>): void {
    this.#noOwnProperties(value);
    this.#put('["Map"');
    let index = 0;
    for (const [key, item] of Map.prototype.entries.call(value)) {
      this.#part({ inside: `Map key ${index}` }, key, ",");
      this.#part({ inside: `Map value ${index}` }, item, ",");
      index++;
    }
    this.#put("]");
  }

  #writeSet(value: Set<unknown>): void {
    this.#noOwnProperties(value);
    this.#put('["Set"');
    let index = 0;
    for (const item of Set.prototype.values.call(value)) {
      this.#part({ inside: `Set item ${index}` }, item, ",");
      index++;
    }
    this.#put("]");
  }

  #writeDate(value: Date): void {
    this.#noOwnProperties(value);
    const time = Date.prototype.getTime.call(value);
    this.#put(`["Date",${Number.isNaN(time) ? "null" : time}]`);
  }

  #writeRegExp(value: RegExp): void {
    if (!types.isRegExp(value)) this.#refuseObject(value);
    this.#noOwnProperties(value, "lastIndex");
    const lastIndex = dataLastIndex(value);
    if (lastIndex === undefined) this.#place.refuse("the lastIndex of the RegExp is no index");
    this.#put(`["RegExp",${stringText(value.source, this.#place)},"${value.flags}",${lastIndex}]`);
  }

  #writeUrl(value: URL): void {
    this.#noOwnProperties(value);
    this.#put(`["URL",${stringText(value.href, this.#place)}]`);
  }

  #writeArrayBuffer(value: ArrayBuffer): void {
    checkBuffer(value, this.#place);
    this.#noOwnProperties(value);
    this.#windows.add(value, 0, value.byteLength, this.#place);
    this.#putBytes(new Uint8Array(value));
  }

  #putBytes(bytes: Uint8Array): void {
    // Before the text is made: the limit must hold for memory too.
    this.#place.spend(Math.ceil(bytes.byteLength / 3) * 4);
    this.text += `["ArrayBuffer","${toBase64(bytes)}"]`;
  }

  #writeView(kind: string, value: ArrayBufferView): void {
    const { buffer, byteOffset, byteLength } = value;
    checkBuffer(buffer, this.#place);
    if (kind === "DataView") this.#noOwnProperties(value);
    else this.#noOwnElements(value as Uint8Array);
    this.#put(`["${kind}",`);
    const whole = byteLength === buffer.byteLength;
    if (!whole || !this.#numbers.has(buffer)) this.#windows.add(buffer, byteOffset, byteLength, this.#place);
    if (whole && this.#numbers.has(buffer)) this.#put(`["ref",${this.#numbers.get(buffer)}]`);
    else {
      // A part of a buffer gets a number as well, as if it had a buffer of its own.
      this.#numbers.set(whole ? buffer : {}, this.#numbers.size);
      this.#putBytes(new Uint8Array(buffer, byteOffset, byteLength));
    }
    this.#put("]");
  }

  #noOwnElements(value: Uint8Array): void {
    if (value.length > searchedViewMax) return;
    const keys = Reflect.ownKeys(value);
    if (keys.length > value.length) {
      this.#place.refuse(
        `${whatIsIt(value)} has a property of its own that would be lost: ${String(keys[value.length])}`,
      );
    }
  }

  /** Name, message, cause and inner errors stand hidden or in plain sight, as they were; the stack is not stored. */
  #writeError(name: string, value: Error): void {
    const hidden: string[] = [];
    const shown: string[] = [];
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === "symbol")
        this.#place.refuse(`the error has a property with a symbol for its name: ${String(key)}`);
      const enumerable = Object.prototype.propertyIsEnumerable.call(value, key);
      if (key === "stack") continue;
      if (enumerable) shown.push(key);
      else if (hiddenErrorNames.has(key)) hidden.push(key);
      else this.#place.refuse(`the property ${key} of the error is not enumerable and would come back enumerable`);
    }
    this.#put(`["${name}",`);
    this.#writeHidden(value, hidden.sort());
    this.#put(",");
    this.#writeProperties(value, shown.sort());
    this.#put("]");
  }

  #writeHidden(value: Error, names: readonly string[]): void {
    let separator = "{";
    for (const name of names) {
      const descriptor = Object.getOwnPropertyDescriptor(value, name);
      this.#place.enter(name);
      if (descriptor === undefined || !("value" in descriptor))
        this.#place.refuse("it is an accessor, which cannot come back as one");
      this.write(descriptor.value, `${separator}"${name}":`);
      this.#place.leave();
      separator = ",";
    }
    this.#put(separator === "{" ? "{}" : "}");
  }
}

function isFull(value: readonly unknown[]): boolean {
  for (let index = 0; index < value.length; index++) {
    if (!(index in value)) return false;
  }
  return true;
}

function numberTextOf(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return `["${value}"]`;
}

function dataLastIndex(value: RegExp): number | undefined {
  const { lastIndex } = value;
  return Number.isSafeInteger(lastIndex) && lastIndex >= 0 && !Object.is(lastIndex, -0) ? lastIndex : undefined;
}
