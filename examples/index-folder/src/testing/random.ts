/** A seeded generator (mulberry32): numbers from 0, below 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Files of made-up prose, the same for the same seed. */
export function proseFiles(seed: number, files: number): Record<string, string> {
  const random = randomFrom(seed);
  const words = "harbour tide pilot buoy shoal lantern mast rope anchor chart keel wharf gull fog compass cargo".split(
    " ",
  );
  const made: Record<string, string> = {};
  for (let file = 1; file <= files; file += 1) {
    const lines = Array.from({ length: 5 + Math.floor(random() * 60) }, () =>
      Array.from({ length: 9 }, () => words[Math.floor(random() ** 2 * words.length)]).join(" "),
    );
    made[`part-${file % 4}/file-${file}.md`] = `# File ${file}\n\n${lines.join(".\n")}.\n`;
  }
  return made;
}
