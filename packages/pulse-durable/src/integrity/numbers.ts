/** A whole number from 1 as an entry key holds it: digits alone, none of them for nothing. */
export function keyNumber(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
