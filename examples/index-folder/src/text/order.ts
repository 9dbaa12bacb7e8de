/** Compares by UTF-16 code units: the same order on every machine, whatever its language. */
export function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
