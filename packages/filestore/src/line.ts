import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/**
 * Every file is lines of text. The first begins with its kind and format, so that any later version can be told:
 *
 * ```text
 * pulse-journal/1 <checksum> {"runId":"order-7","epoch":2,…}
 * <checksum> save {"revision":7,"changes":[["header",312,{…}],["attempt/4f…"]]}
 * ```
 *
 * The checksum is over the rest of the line: the first 32 hex digits of its SHA-256. It tells loss and damage; it is
 * no signature.
 */
export type FileKind = "run" | "journal" | "snapshot";

/** The first line of a file. */
export function firstLine(kind: FileKind, format: number, body: object): string {
  const text = JSON.stringify(body);
  return `pulse-${kind}/${format} ${checksum(text)} ${text}\n`;
}

/** A line after the first. `json` is JSON text. */
export function line(word: string, json: string): string {
  const rest = `${word} ${json}`;
  return `${checksum(rest)} ${rest}\n`;
}

/** What a first line says; `undefined` when it is damaged or of another kind. A newer format tells only its number. */
export function readFirstLine(
  kind: FileKind,
  text: string,
  supported: number,
): { readonly format: number; readonly body?: Readonly<Record<string, unknown>> } | undefined {
  const found = /^pulse-([a-z]+)\/(\d{1,9}) ([0-9a-f]{32}) (.*)$/s.exec(text);
  if (found === null) {
    const newer = new RegExp(`^pulse-${kind}/(\\d{1,9}) `).exec(text);
    return newer !== null && Number(newer[1]) > supported ? { format: Number(newer[1]) } : undefined;
  }
  const [, foundKind, format, sum, json] = found;
  if (foundKind !== kind || sum === undefined || json === undefined) return undefined;
  if (Number(format) > supported) return { format: Number(format) };
  const body = Number(format) > 0 && sum === checksum(json) ? parseObject(json) : undefined;
  return body === undefined ? undefined : { format: Number(format), body };
}

/** A line after the first, taken apart; `undefined` when it is damaged. */
export function readLine(
  text: string,
): { readonly word: string; readonly body: Readonly<Record<string, unknown>> } | undefined {
  const rest = text.slice(checksumLength + 1);
  if (text[checksumLength] !== " " || text.slice(0, checksumLength) !== checksum(rest)) return undefined;
  const cut = rest.indexOf(" ");
  const body = cut < 1 ? undefined : parseObject(rest.slice(cut + 1));
  return body === undefined ? undefined : { word: rest.slice(0, cut), body };
}

const checksumLength = 32;

const checksum = (text: string): string => hash("sha256", text).slice(0, checksumLength);

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
  /** Without its end. */
  readonly bytes: Buffer;
  /** False for a last line whose end is missing: it was not written whole. */
  readonly whole: boolean;
}

/** The lines of an open file from its beginning, as far as it reaches now. Holds one line and one block at a time. */
export async function* linesOf(file: FileHandle): AsyncGenerator<RawLine> {
  const block = Buffer.allocUnsafe(blockBytes);
  let parts: Buffer[] = [];
  let number = 1;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(block, 0, blockBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = block.subarray(0, bytesRead);
    let from = 0;
    for (let end = read.indexOf(newline); end >= 0; end = read.indexOf(newline, from)) {
      const bytes = Buffer.concat([...parts, read.subarray(from, end)]);
      parts = [];
      from = end + 1;
      yield { number, bytes, whole: true };
      number += 1;
    }
    // A copy: the block is read into again.
    if (from < bytesRead) parts.push(Buffer.from(read.subarray(from)));
  }
  if (parts.length > 0) yield { number, bytes: Buffer.concat(parts), whole: false };
}

const newline = 0x0a;
const blockBytes = 256 * 1024;

/** The text of a line; `undefined` when its bytes are not UTF-8 (REC-15). */
export function textOf(bytes: Buffer): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
