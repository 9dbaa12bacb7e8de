// Disks and machines are noisy: a figure is the median of rounds that took turns with what it is compared to.

/** Median and the tenth and ninetieth percentile. */
export function spreadOf(numbers) {
  const sorted = numbers.toSorted((left, right) => left - right);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.round(part * (sorted.length - 1)))];
  return { median: at(0.5), low: at(0.1), high: at(0.9), rounds: sorted.length };
}

/** `1.32 (1.20-1.51)`; one round has no spread. */
export function shown(spread, digits = 2) {
  if (spread === undefined) return "-";
  const { median, low, high, rounds } = spread;
  if (rounds === 1) return median.toFixed(digits);
  return `${median.toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`;
}
