/**
 * A value's bytes inside a line: as they are, but for the four that a line may not hold or that this writing needs, or
 * as base64 where that is shorter. The first byte tells which: `=` or `~`.
 *
 * An escape byte (0x1B) stands before the byte that is meant, XOR 0x40: 0x00 is `1B 40`, tab `1B 49`, line feed `1B 4A`,
 * and the escape itself `1B 5B`. Most values are JSON text, which has none of them, and are copied once.
 */
export const escapedMark = 0x3d;
export const base64Mark = 0x7e;

const escape = 0x1b;
const flip = 0x40;
const isSpecial = (byte: number): boolean => byte === 0x00 || byte === 0x09 || byte === 0x0a || byte === escape;
const specials = [0x00, 0x09, 0x0a, escape];

/** The pieces of a line that hold these bytes, mark first. They may be the very bytes given: write them at once. */
export function bytesToPieces(value: Uint8Array): readonly [mark: string, bytes: Uint8Array] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  // Four searches of the system's own are faster than one look at each byte, and most often all that is needed.
  if (!specials.some((special) => bytes.includes(special))) return ["=", bytes];
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) count += Number(isSpecial(bytes[at] as number));
  const base64Length = 4 * Math.ceil(bytes.length / 3);
  return bytes.length + count <= base64Length
    ? ["=", escaped(bytes, count)]
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

/** The bytes again, as a copy of their own; `undefined` for what {@link bytesToPieces} would not have written. */
export function bytesOfPiece(piece: Buffer): Uint8Array | undefined {
  if (piece[0] === escapedMark) return unescaped(piece);
  if (piece[0] !== base64Mark) return undefined;
  const text = piece.toString("latin1", 1);
  const bytes = Buffer.from(text, "base64");
  // Node reads what is not base64 as less or other bytes; only the canonical text comes back as it was.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}

function unescaped(piece: Buffer): Uint8Array | undefined {
  let from = 1;
  let found = piece.indexOf(escape, from);
  if (found < 0) return new Uint8Array(piece.subarray(1));
  const bytes = new Uint8Array(piece.length);
  let to = 0;
  while (found >= 0) {
    const byte = (piece[found + 1] ?? 0) ^ flip;
    if (!isSpecial(byte)) return undefined;
    bytes.set(piece.subarray(from, found), to);
    to += found - from;
    bytes[to] = byte;
    to += 1;
    from = found + 2;
    found = piece.indexOf(escape, from);
  }
  bytes.set(piece.subarray(from), to);
  return bytes.slice(0, to + piece.length - from);
}
