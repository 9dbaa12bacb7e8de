import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../problem.ts";
import { countLines, countTerms } from "../text/count-terms.ts";
import { countOutsideProse, proseOf } from "../text/prose.ts";
import { isMarkdown, titleOf } from "../text/title.ts";
import type { FileEntry, ReadFile, SkippedFile } from "../values.ts";
import { fileBytesMax } from "./deal.ts";

/** What is looked at to tell whether a file changed. */
export interface FileState {
  readonly bytes: number;
  /** Nanoseconds since the epoch. */
  readonly modified: string;
}

/** How files are read. Tests give another one. */
export interface FileReader {
  state(path: string): Promise<FileState>;
  read(path: string): Promise<Uint8Array>;
}

export const diskReader: FileReader = {
  async state(path) {
    const { size, mtimeNs } = await stat(path, { bigint: true });
    return { bytes: Number(size), modified: String(mtimeNs) };
  },
  read: (path) => readFile(path),
};

/** A try of reading failed in a way that another try may not: the retry around the reading step looks for it. */
export class PassingFailure extends Error {
  override readonly name = "PassingFailure";
}

/** The disk or the system is busy: tried again. */
const passingCodes = new Set(["EAGAIN", "EBUSY", "EINTR", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE", "ETIMEDOUT"]);

/** Another try would find the same: the file is left out, and the report says why. */
const lastingCodes = new Map([
  ["EACCES", "no permission to read it"],
  ["EPERM", "no permission to read it"],
  ["ENOENT", "gone since the folder was scanned"],
  ["ENOTDIR", "gone since the folder was scanned"],
  ["EISDIR", "no longer a file"],
  ["ELOOP", "no longer a file"],
]);

/**
 * Reads one file as UTF-8 text and counts its terms, or says why it is left out. Its state is looked at before and
 * after, so what is counted is one version of the file and never half of each.
 * @throws PassingFailure when the file changed while it was read, or the system was busy
 */
export async function readText(
  reader: FileReader,
  folder: string,
  { path }: Pick<FileEntry, "path">,
): Promise<ReadFile | SkippedFile> {
  const bytes = await steadyBytes(reader, join(folder, path), path);
  if ("reason" in bytes) return { path, reason: bytes.reason };
  const text = textOf(bytes);
  if (typeof text !== "string") return { path, reason: text.reason };
  const terms = countTerms(text);
  return {
    path,
    title: titleOf(path, text),
    bytes: bytes.byteLength,
    lines: countLines(text),
    digest: createHash("sha256").update(bytes).digest("hex"),
    terms,
    outsideProse: countOutsideProse(terms, proseOf(text, { markdown: isMarkdown(path) })),
  };
}

async function steadyBytes(reader: FileReader, file: string, path: string): Promise<Uint8Array | { reason: string }> {
  try {
    const before = await reader.state(file);
    if (before.bytes > fileBytesMax) return { reason: `larger than ${fileBytesMax / 1024 / 1024} MiB` };
    const bytes = await reader.read(file);
    const after = await reader.state(file);
    if (bytes.byteLength !== before.bytes || after.bytes !== before.bytes || after.modified !== before.modified) {
      throw new PassingFailure(`${path} changed while it was read`);
    }
    return bytes;
  } catch (error) {
    const code = systemCode(error);
    const reason = code === undefined ? undefined : lastingCodes.get(code);
    if (reason !== undefined) return { reason };
    if (code !== undefined && passingCodes.has(code)) {
      throw new PassingFailure(`${path} could not be read (${code})`, { cause: error });
    }
    throw error;
  }
}

function textOf(bytes: Uint8Array): string | { reason: string } {
  if (bytes.includes(0)) return { reason: "binary data, no text" };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { reason: "not valid UTF-8" };
  }
}
