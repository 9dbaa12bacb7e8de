import { byCodeUnits } from "../text/order.ts";
import type { FileEntry, Listing, SkippedFile } from "../values.ts";

/** A larger file is passed over: its terms would drown the others, and memory is not free. In bytes. */
export const fileBytesMax = 4 * 1024 * 1024;

export interface Dealt {
  /** One list a chunk, each ascending by path; empty when there are fewer files than chunks. */
  readonly chunks: readonly (readonly FileEntry[])[];
  /** What no chunk is asked to read. */
  readonly passedOver: readonly SkippedFile[];
}

/**
 * Deals the files out so that the chunks weigh about the same: the largest first, each to the lightest chunk so far.
 * The same listing is always dealt out in the same way.
 */
export function deal(listing: Listing, chunks: number): Dealt {
  const passedOver: SkippedFile[] = listing.closed.map((path) => ({ path, reason: "the folder cannot be opened" }));
  const wanted: FileEntry[] = [];
  for (const file of listing.files) {
    const reason = reasonToPassOver(file);
    if (reason === undefined) wanted.push(file);
    else passedOver.push({ path: file.path, reason });
  }
  const hands = Array.from({ length: chunks }, () => ({ bytes: 0, files: [] as FileEntry[] }));
  for (const file of wanted.toSorted((left, right) => right.bytes - left.bytes || byCodeUnits(left.path, right.path))) {
    const lightest = hands.reduce((least, hand) => (hand.bytes < least.bytes ? hand : least));
    lightest.files.push(file);
    // An empty file still costs a read.
    lightest.bytes += file.bytes + 1;
  }
  return {
    chunks: hands.map(({ files }) => files.toSorted((left, right) => byCodeUnits(left.path, right.path))),
    passedOver: passedOver.toSorted((left, right) => byCodeUnits(left.path, right.path)),
  };
}

function reasonToPassOver(file: FileEntry): string | undefined {
  if (!file.readable) return "no permission to read it";
  if (file.bytes > fileBytesMax) return `larger than ${fileBytesMax / 1024 / 1024} MiB`;
  return undefined;
}
