import { Buffer } from "node:buffer";
import type { Place } from "./place.ts";

/** What a view on a buffer is made with. */
type ViewMaker = (buffer: ArrayBuffer) => ArrayBufferView;

/** Every kind of view that `structured()` knows, by its name in the text. A Node `Buffer` is one of its own. */
export const viewMakers: ReadonlyMap<string, ViewMaker> = new Map<string, ViewMaker>([
  ["Int8Array", (buffer) => new Int8Array(buffer)],
  ["Uint8Array", (buffer) => new Uint8Array(buffer)],
  ["Uint8ClampedArray", (buffer) => new Uint8ClampedArray(buffer)],
  ["Int16Array", (buffer) => new Int16Array(buffer)],
  ["Uint16Array", (buffer) => new Uint16Array(buffer)],
  ["Int32Array", (buffer) => new Int32Array(buffer)],
  ["Uint32Array", (buffer) => new Uint32Array(buffer)],
  ["Float32Array", (buffer) => new Float32Array(buffer)],
  ["Float64Array", (buffer) => new Float64Array(buffer)],
  ["BigInt64Array", (buffer) => new BigInt64Array(buffer)],
  ["BigUint64Array", (buffer) => new BigUint64Array(buffer)],
  ["DataView", (buffer) => new DataView(buffer)],
  ["Buffer", (buffer) => Buffer.from(buffer)],
]);

/** The kind of a view, by its prototype. */
export const viewKinds: ReadonlyMap<object, string> = new Map(
  [...viewMakers].map(([name, make]) => [Object.getPrototypeOf(make(new ArrayBuffer(0))) as object, name]),
);

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes, in memory of their own. Node skips what is no base64, so the caller compares with the canonical text. */
export function fromBase64(text: string): ArrayBuffer {
  const pooled = Buffer.from(text, "base64");
  return new Uint8Array(pooled).buffer;
}

/** Refuses memory that other threads write, that can grow, or that was given away. */
export function checkBuffer(buffer: ArrayBufferLike, place: Place): asserts buffer is ArrayBuffer {
  if (Object.getPrototypeOf(buffer) !== ArrayBuffer.prototype)
    place.refuse("its memory is shared or of another kind than ArrayBuffer");
  if ((buffer as { readonly resizable?: boolean }).resizable === true) place.refuse("its ArrayBuffer is resizable");
  if (buffer.byteLength === 0) {
    try {
      new Uint8Array(buffer);
    } catch (cause) {
      place.refuse("its ArrayBuffer was transferred away", { cause });
    }
  }
}

interface Window {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

/**
 * Which parts of which buffers a value shows. A view on a part of a buffer is written as if it had memory of its own, so that
 * equal views have equal bytes and the rest of Node's shared pool is not stored. That is a copy, which is only right
 * while no other view shows the same bytes.
 */
export class BufferWindows {
  readonly #byBuffer = new Map<ArrayBuffer, Window[]>();

  add(buffer: ArrayBuffer, start: number, length: number, place: Place): void {
    const window = { start, end: start + length, path: place.path };
    const known = this.#byBuffer.get(buffer);
    if (known === undefined) this.#byBuffer.set(buffer, [window]);
    else known.push(window);
  }

  /** Refuses two different views on the same bytes, of which at least one shows a part only. */
  check(place: Place): void {
    for (const [buffer, windows] of this.#byBuffer) {
      const partial = windows
        .filter((window) => window.end > window.start)
        .sort((a, b) => a.start - b.start || a.end - b.end);
      let end = 0;
      for (const window of partial) {
        const whole = window.start === 0 && window.end === buffer.byteLength;
        if (window.start < end && !(whole && end === buffer.byteLength && partial[0]?.end === end)) {
          place.refuse(
            `the view at ${window.path} shares bytes with another view on a part of the same buffer; copy one of them`,
          );
        }
        end = Math.max(end, window.end);
      }
    }
  }
}
