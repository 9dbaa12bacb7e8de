/** The limits of one value, the same when encoding and when decoding (CODEC-12). */

/**
 * The most bytes one encoded value may have: 64 MiB. A bigger one is refused with the path at which
 * it became too big. Values are held whole in memory; big data belongs into a file that a value names.
 */
export const valueBytesMax = 64 * 1024 * 1024;

/**
 * How many containers may stand one inside the other: 1,000. Deeper ones are refused,
 * so that neither direction can overflow the stack.
 */
export const depthMax = 1_000;
