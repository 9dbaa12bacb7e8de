import { createHash } from "node:crypto";
import { basename } from "node:path";

const slugLengthMax = 40;

/**
 * The name of the run for a folder: its own name to be read, and a digest of its place, as two folders may have one name.
 * The same folder always has the same run, so the same command finds it again.
 */
export function runNameFor(folder: string): string {
  const slug = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, slugLengthMax)
    .replace(/^-+|-+$/gu, "");
  const place = createHash("sha256").update(folder).digest("hex").slice(0, 8);
  return `index-${slug === "" ? "folder" : slug}-${place}`;
}
