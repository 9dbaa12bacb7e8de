/**
 * Run ids as bytes in the order in which JavaScript compares strings: by UTF-16 units, the upper byte of each first.
 * SQLite orders text by its UTF-8, which puts U+10000 and above behind U+E000 to U+FFFF, not before.
 */
export const sortKey = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** The run id of a {@link sortKey}. */
export const fromSortKey = (key: Uint8Array): string =>
  key.length % 2 === 0 ? Buffer.from(key).swap16().toString("utf16le") : "";

/** The first key behind all that begin with this prefix; `undefined` when there is none. */
export function behindPrefix(prefix: string): Buffer | undefined {
  const key = sortKey(prefix);
  for (let end = key.length; end > 0; end -= 1) {
    const byte = key[end - 1] ?? 0;
    if (byte === 0xff) continue;
    const behind = Buffer.from(key.subarray(0, end));
    behind[end - 1] = byte + 1;
    return behind;
  }
  return undefined;
}
