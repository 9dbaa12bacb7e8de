/**
 * A `bytea[]` in PostgreSQL's binary form, as one parameter: bytes go as they are, where an array in text form would double
 * them as hexadecimal digits. `null` is NULL.
 */
export function byteaArray(items: readonly (Uint8Array | null)[]): Buffer {
  const size = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), headBytes);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(items.length === 0 ? 0 : 1, 0); // dimensions
  array.writeInt32BE(items.includes(null) ? 1 : 0, 4); // whether there is a NULL
  array.writeInt32BE(byteaType, 8);
  if (items.length === 0) return array.subarray(0, emptyBytes);
  array.writeInt32BE(items.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let at = headBytes;
  for (const item of items) {
    array.writeInt32BE(item === null ? -1 : item.length, at);
    at += 4;
    if (item === null) continue;
    array.set(item, at);
    at += item.length;
  }
  return array;
}

const emptyBytes = 12;
const headBytes = 20;
/** The object id of `bytea`. */
const byteaType = 17;
