import { createHash } from "node:crypto";
import { basename } from "node:path";

const slugLengthMax = 40;
const plainLengthMax = 64;

/**
 * The name of the run for a folder: its own name to be read, and a digest of its place, as two folders may have one name.
 * The same folder always has the same run, so the same command finds it again.
 */
export function runNameFor(folder: string): string {
  const place = createHash("sha256").update(folder).digest("hex").slice(0, 8);
  return `index-${slugOf(basename(folder), "folder")}-${place}`;
}

/**
 * A name for the folder of a run's reports: the run's own where that can be a folder's name on every system, else what
 * is readable of it and a digest. Two runs never share one.
 */
export function reportFolderFor(runId: string): string {
  const plain =
    /^[a-z0-9][a-z0-9-]*$/u.test(runId) &&
    runId.length <= plainLengthMax &&
    !/^(?:con|prn|aux|nul|com\d|lpt\d)$|-[0-9a-f]{16}$/u.test(runId);
  if (plain) return runId;
  return `${slugOf(runId, "run")}-${createHash("sha256").update(runId).digest("hex").slice(0, 16)}`;
}

function slugOf(text: string, otherwise: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, slugLengthMax)
    .replace(/^-+|-+$/gu, "");
  return slug === "" ? otherwise : slug;
}
