// The graphs that every engine runs: node i takes the values of `parents` and gives a number.
// All bodies are asynchronous and trivial, so that only the engine's own cost is measured.

/** Keeps sums small: all values stay below it. */
export const modulus = 1_000_003;

const place = (name, parents) => {
  const values = [];
  for (const from of parents) {
    const sum = from.reduce((total, parent) => total + values[parent], 0);
    values.push(from.length === 0 ? 1 : (from.length === 1 ? sum + 1 : sum) % modulus);
  }
  return { name, parents, size: parents.length, expected: values.at(-1) };
};

export const chain = (length) =>
  place(
    `chain of ${length}`,
    Array.from({ length }, (_, index) => (index === 0 ? [] : [index - 1])),
  );

export const fan = (width) => {
  const middle = Array.from({ length: width }, () => [0]);
  return place(`fan of ${width}`, [[], ...middle, middle.map((_, index) => index + 1)]);
};

export const layered = (layers, width, fanIn = 3) => {
  let state = 42;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const parents = [];
  for (let layer = 0; layer < layers; layer++)
    for (let column = 0; column < width; column++) {
      const from = new Set();
      const wanted = layer === 0 ? 0 : fanIn;
      while (from.size < wanted) from.add((layer - 1) * width + Math.floor(random() * width));
      parents.push([...from]);
    }
  parents.push(Array.from({ length: width }, (_, column) => (layers - 1) * width + column));
  return place(`layers ${layers}x${width}`, parents);
};

export const workloads = {
  chain: () => chain(1000),
  fan: () => fan(1000),
  layers: () => layered(10, 100),
  chain100k: () => chain(100_000),
  fan100k: () => fan(100_000),
};

/** What node i computes, as a function of its parents' values. */
export const bodyOf = (from) => {
  if (from.length === 0) return async () => 1;
  if (from.length === 1) return async ([value]) => (value + 1) % modulus;
  return async (values) => {
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += values[at];
    return sum % modulus;
  };
};
