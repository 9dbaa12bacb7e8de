import type { Random } from "./random.ts";

/** Ways to damage a file, by name. Each gives other bytes, or the same where there is nothing to damage. */
export const byteMutators: Readonly<Record<string, (bytes: Buffer, random: Random, other: Buffer) => Buffer>> = {
  flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) {
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    }
    return copy;
  },
  flipBits(bytes, random) {
    let copy = bytes;
    for (let times = 1 + random.below(8); times > 0; times -= 1)
      copy = byteMutators["flipBit"]?.(copy, random, copy) ?? copy;
    return copy;
  },
  zeroRange(bytes, random) {
    const [from, to] = rangeOf(bytes, random);
    return Buffer.from(bytes).fill(0, from, to);
  },
  dropRange(bytes, random) {
    const [from, to] = rangeOf(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  repeatRange(bytes, random) {
    const [from, to] = rangeOf(bytes, random);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  cutEnd: (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  addEnd: (bytes, random) =>
    Buffer.concat([bytes, Buffer.from(Array.from({ length: 1 + random.below(40) }, () => random.below(256)))]),
  addFromOther(bytes, random, other) {
    const [from, to] = rangeOf(other, random);
    return Buffer.concat([bytes, other.subarray(from, to)]);
  },
  dropLine(bytes, random) {
    const lines = linesOf(bytes);
    lines.splice(random.below(lines.length), 1);
    return Buffer.concat(lines);
  },
  repeatLine(bytes, random) {
    const lines = linesOf(bytes);
    const at = random.below(lines.length);
    return Buffer.concat([...lines.slice(0, at + 1), ...lines.slice(at)]);
  },
  swapLines(bytes, random) {
    const lines = linesOf(bytes);
    const [one, other] = [random.below(lines.length), random.below(lines.length)];
    [lines[one], lines[other]] = [lines[other] as Buffer, lines[one] as Buffer];
    return Buffer.concat(lines);
  },
  takeOther: (_bytes, _random, other) => other,
};

function rangeOf(bytes: Buffer, random: Random): readonly [number, number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 1 + random.below(64))];
}

/** Each with its end of line. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines.length === 0 ? [bytes] : lines;
}
