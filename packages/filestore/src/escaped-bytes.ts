/**
 * A value's bytes inside a line, where no byte may be 0x00, a tab or a line feed. The first byte tells how they stand:
 *
 * ```text
 * =  as they are: they have none of the three. Most values are JSON text, and so are copied once and read in place
 * !  escaped: 0x1B before the byte that is meant XOR 0x40, for the three (1B 40, 1B 49, 1B 4A) and for 0x1B (1B 5B)
 * ~  base64 with padding, where it is shorter than escapes
 * ```
 */
export const isBytesMark = (byte: number | undefined): boolean =>
  byte === plainMark || byte === escapedMark || byte === base64Mark;

const plainMark = 0x3d;
const escapedMark = 0x21;
const base64Mark = 0x7e;

const escape = 0x1b;
const flip = 0x40;
const forbidden = [0x00, 0x09, 0x0a];
const isSpecial = (byte: number): boolean => byte === 0x00 || byte === 0x09 || byte === 0x0a || byte === escape;

/** The pieces of a line that hold these bytes, mark first. They may be the very bytes given: write them at once. */
export function bytesToPieces(value: Uint8Array): readonly [mark: string, bytes: Uint8Array] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  // Three searches of the system's own are faster than one look at each byte, and most often all that is needed.
  if (!forbidden.some((byte) => bytes.includes(byte))) return ["=", bytes];
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) count += Number(isSpecial(bytes[at] as number));
  const base64Length = 4 * Math.ceil(bytes.length / 3);
  return bytes.length + count <= base64Length
    ? ["!", escaped(bytes, count)]
    : ["~", Buffer.from(bytes.toString("base64"), "latin1")];
}

function escaped(bytes: Buffer, count: number): Uint8Array {
  const written = Buffer.allocUnsafe(bytes.length + count);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (isSpecial(byte)) {
      written[to] = escape;
      written[to + 1] = byte ^ flip;
      to += 2;
    } else {
      written[to] = byte;
      to += 1;
    }
  }
  return written;
}

/**
 * The bytes that stand in a line from this mark up to `end`: a part of the line's own memory where they stand as they
 * are. `undefined` for what {@link bytesToPieces} would not have written.
 */
export function bytesAt(line: Buffer, mark: number, end: number): Uint8Array | undefined {
  const from = mark + 1;
  switch (line[mark]) {
    case plainMark:
      return new Uint8Array(line.buffer, line.byteOffset + from, end - from);
    case escapedMark:
      return unescaped(line.subarray(from, end));
    case base64Mark:
      return decoded(line.toString("latin1", from, end));
    default:
      return undefined;
  }
}

function decoded(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  // Node reads what is not base64 as less or other bytes; only the canonical text comes back as it was.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}

function unescaped(piece: Buffer): Uint8Array | undefined {
  const bytes = new Uint8Array(piece.length);
  let from = 0;
  let to = 0;
  for (let found = piece.indexOf(escape); found >= 0; found = piece.indexOf(escape, from)) {
    const byte = (piece[found + 1] ?? 0) ^ flip;
    if (!isSpecial(byte)) return undefined;
    bytes.set(piece.subarray(from, found), to);
    to += found - from;
    bytes[to] = byte;
    to += 1;
    from = found + 2;
  }
  bytes.set(piece.subarray(from), to);
  return bytes.slice(0, to + piece.length - from);
}
