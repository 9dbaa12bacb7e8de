import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesAt, bytesToPieces } from "./escaped-bytes.ts";

const written = (bytes: Uint8Array): Buffer => {
  const [mark, piece] = bytesToPieces(bytes);
  return Buffer.concat([Buffer.from(mark), piece]);
};
const bytesOfPiece = (piece: Buffer): Uint8Array | undefined => bytesAt(piece, 0, piece.length);
const special = [0x00, 0x09, 0x0a, 0x1b];

/** Bytes of which some, many or all have a meaning in a line. */
const anyBytes = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.uint8Array({ maxLength: 3_000 }))
  .map(([share, bytes]) => bytes.map((byte, at) => ((at * 37) % 100 < share ? (special[byte % 4] ?? 0) : byte)));

test("KIT-5 FILE-2 any bytes come back from a line, which has no zero byte, no tab and no end of its own in it", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const piece = written(bytes);
      expect(special.slice(0, 3).filter((byte) => piece.includes(byte))).toEqual([]);
      expect(piece.length - 1).toBeLessThanOrEqual(4 * Math.ceil(bytes.length / 3));
      expect(bytesOfPiece(piece)).toStrictEqual(new Uint8Array(bytes));
    }),
    { seed: 3, numRuns: 200 },
  );
});

test("KIT-5 each byte value, none at all and zeros alone come back", () => {
  const every = Uint8Array.from({ length: 256 }, (_value, byte) => byte);
  for (const bytes of [every, new Uint8Array(), new Uint8Array(1), new Uint8Array(100_000), every.subarray(9, 11)]) {
    expect(bytesOfPiece(written(bytes))).toStrictEqual(new Uint8Array(bytes));
  }
  expect(written(new Uint8Array(3_000)).length).toBe(4_001);
  expect(written(every).length).toBe(1 + 256 + 4);
});

test("REC-24 text is written as it is: its bytes are not copied before the line is", () => {
  const text = new TextEncoder().encode('{"a":"\\n é 😀"}');
  const [mark, piece] = bytesToPieces(text);
  expect([mark, piece.buffer]).toEqual(["=", text.buffer]);
});

test("REC-24 bytes that stand as they are, are read in place", () => {
  const line = Buffer.from("before=text\tafter");
  const back = bytesAt(line, 6, 11);
  expect([Buffer.from(back ?? []).toString(), back?.buffer]).toEqual(["text", line.buffer]);
});

test("FILE-2 what was not written as bytes are is refused", () => {
  for (const piece of ["", "x", "!\u001b", "!a\u001bb", "!\u001bA", "~abc", "~YR==", "~YQ= ", "~*"]) {
    expect(bytesOfPiece(Buffer.from(piece))).toBe(undefined);
  }
});
