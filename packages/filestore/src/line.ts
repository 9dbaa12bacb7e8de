import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

/**
 * Every file is lines. The first begins with its kind and format, so that any later version can be told; every other
 * one is a checksum, what it is, and what it holds, divided by tabs:
 *
 * ```text
 * pulse-journal/1 <checksum> {"runId":"order-7","epoch":2,…}
 * <checksum> save 7 3⇥header {…}⇥node/9c…/price ["price",…]⇥=<bytes>⇥attempt/4f…
 * ```
 *
 * The checksum is over the rest of the line: its CRC-32 in eight hex digits, as of zlib. It tells loss and damage; it is
 * no signature. No line has a zero byte in it: that is what a block reads as that the system never wrote.
 */
export type FileKind = "run" | "journal" | "snapshot";

/** The first line of a file. */
export function firstLine(kind: FileKind, format: number, body: object): Buffer {
  const text = Buffer.from(JSON.stringify(body));
  return Buffer.concat([Buffer.from(`pulse-${kind}/${format} ${checksum(text)} `), text, lineEnd]);
}

/**
 * A line after the first, out of its pieces. They hold no line's end and no zero byte. With `memory` it stands there until
 * the next one does.
 */
export function line(pieces: readonly (string | Uint8Array)[], memory?: LineMemory): Buffer {
  let lengthMax = checksumLength + 2;
  for (const piece of pieces) lengthMax += typeof piece === "string" ? piece.length * utf8Max : piece.length;
  const bytes = memory?.take(lengthMax) ?? Buffer.allocUnsafe(lengthMax);
  let at = checksumLength + 1;
  // Texts that follow each other are written at once.
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else {
      if (text !== "") at += bytes.write(text, at);
      text = "";
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  if (text !== "") at += bytes.write(text, at);
  bytes.write(checksum(bytes.subarray(checksumLength + 1, at)), 0, "latin1");
  bytes[checksumLength] = space;
  bytes[at] = newline;
  return bytes.subarray(0, at + 1);
}

/** Memory for lines that are used one after the other: most saves need none of their own. */
export class LineMemory {
  #bytes = Buffer.allocUnsafeSlow(4 * 1024);

  /** So many bytes at least; `undefined` for more than is kept. */
  take(length: number): Buffer | undefined {
    if (length > lineMemoryMax) return undefined;
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
    return this.#bytes;
  }
}

const lineMemoryMax = 64 * 1024;
/** Bytes that a UTF-16 code unit takes at most. */
const utf8Max = 3;

/** What a first line says; `undefined` when it is damaged or of another kind. A newer format tells only its number. */
export function readFirstLine(
  kind: FileKind,
  bytes: Buffer,
  supported: number,
): { readonly format: number; readonly body?: Readonly<Record<string, unknown>> } | undefined {
  const text = textOf(bytes);
  const found = text === undefined ? null : /^pulse-([a-z]+)\/(\d{1,9}) ([0-9a-f]{8}) (.*)$/s.exec(text);
  if (found === null) {
    const newer = new RegExp(`^pulse-${kind}/(\\d{1,9}) `).exec(bytes.toString("latin1", 0, beginningMax));
    return newer !== null && Number(newer[1]) > supported ? { format: Number(newer[1]) } : undefined;
  }
  const [, foundKind, format, sum, json] = found;
  if (foundKind !== kind || sum === undefined || json === undefined) return undefined;
  if (Number(format) > supported) return { format: Number(format) };
  const body = Number(format) > 0 && sum === checksum(Buffer.from(json)) ? parseObject(json) : undefined;
  return body === undefined ? undefined : { format: Number(format), body };
}

/** A line after the first, taken apart. */
export interface ReadLine {
  /** What the line is: words and numbers with one space between. */
  readonly head: string;
  /** What stands after the head, from its first tab on; empty when nothing does. */
  readonly rest: Buffer;
}

/** Takes a line after the first apart; `undefined` when it is damaged. */
export function readLine(bytes: Buffer): ReadLine | undefined {
  if (bytes[checksumLength] !== space) return undefined;
  const body = bytes.subarray(checksumLength + 1);
  if (bytes.toString("latin1", 0, checksumLength) !== checksum(body)) return undefined;
  const found = body.indexOf(tab);
  const cut = found < 0 ? body.length : found;
  return { head: body.toString("latin1", 0, cut), rest: body.subarray(cut) };
}

/** Divides what a line holds. */
export const tab = 0x09;
const newline = 0x0a;
const space = 0x20;
const lineEnd = Buffer.of(newline);
const checksumLength = 8;
/** More than the beginning of any first line that tells its format. */
const beginningMax = 64;

const checksum = (bytes: Buffer): string => crc32(bytes).toString(16).padStart(checksumLength, "0");

function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** One line as it lies in a file. */
export interface RawLine {
  /** From 1. */
  readonly number: number;
  /** Without its end. Nobody writes to it again. */
  readonly bytes: Buffer;
  /** False for a last line whose end is missing: it was not written whole. */
  readonly whole: boolean;
}

/**
 * The lines of an open file from its beginning, as far as it reaches now, as many at a time as a block holds. Holds one
 * line and one block.
 */
export async function* linesOf(file: FileHandle): AsyncGenerator<readonly RawLine[]> {
  let parts: Buffer[] = [];
  let number = 1;
  // The first block is small: often the first line is all that is asked for, or there.
  for (let position = 0, size = firstBlockBytes; ; size = blockBytes) {
    // Lines are parts of their block, so each block is another.
    const block = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await file.read(block, 0, size, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = block.subarray(0, bytesRead);
    const lines: RawLine[] = [];
    let from = 0;
    for (let end = read.indexOf(newline); end >= 0; end = read.indexOf(newline, from)) {
      const last = read.subarray(from, end);
      lines.push({ number, bytes: parts.length === 0 ? last : Buffer.concat([...parts, last]), whole: true });
      parts = [];
      from = end + 1;
      number += 1;
    }
    if (from < bytesRead) parts.push(read.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (parts.length > 0) yield [{ number, bytes: Buffer.concat(parts), whole: false }];
}

const firstBlockBytes = 64 * 1024;
/** Small enough that what is done with a block at once keeps nobody waiting. */
const blockBytes = 256 * 1024;

/** The text of bytes; `undefined` when they are not UTF-8 (REC-15). */
const textOf = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString("utf8") : undefined);
