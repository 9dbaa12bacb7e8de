import { constants } from "node:fs";
import { access, lstat, opendir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { Problem, systemCode } from "../problem.ts";
import { byCodeUnits } from "../text/order.ts";
import type { FileEntry, Listing } from "../values.ts";

/** More files than this want a search engine. */
export const filesMax = 20_000;
/** All text together, in bytes: the index is kept in memory and in one page. */
export const folderBytesMax = 128 * 1024 * 1024;

const folderHint = "Without a folder the repository's own docs are indexed; --help shows what can be given.";

const textName = /\.(?:md|markdown|mdx|txt|text|rst|adoc|org)$/iu;

export interface WalkOptions {
  /** Absolute folders inside that are the job's own: its store and its reports. */
  readonly leaveOut: readonly string[];
}

/**
 * Lists the text and Markdown files under a folder, without reading any. Names that begin with a dot, `node_modules`
 * and symbolic links are left alone.
 * @throws Problem when the folder is missing, is no folder, cannot be opened, holds no text file, or too many
 */
export async function walk(folder: string, options: WalkOptions): Promise<Listing> {
  const files: FileEntry[] = [];
  const closed: string[] = [];
  let otherFiles = 0;
  const waiting = [""];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const names = await namesIn(join(folder, inside));
    if (names === undefined) {
      if (inside === "") throw new Problem(`no permission to open the folder ${folder}`);
      closed.push(inside);
      continue;
    }
    for (const { name, kind } of names) {
      const path = inside === "" ? name : `${inside}/${name}`;
      if (name.startsWith(".") || name === "node_modules" || options.leaveOut.includes(join(folder, path))) continue;
      if (kind === "folder") waiting.push(path);
      else if (kind === "file" && textName.test(name)) files.push(await entryOf(folder, path));
      else otherFiles += 1;
      if (files.length > filesMax)
        throw new Problem(`${folder} holds more than ${filesMax} text files; name a part of it`);
    }
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > folderBytesMax) {
    throw new Problem(
      `${folder} holds ${megabytes(bytes)} MiB of text, more than ${megabytes(folderBytesMax)}; name a part of it`,
    );
  }
  if (files.length === 0) {
    throw new Problem(
      `${folder} holds no text or Markdown file (looked for .md, .markdown, .mdx, .txt, .text, .rst, .adoc, .org). ${folderHint}`,
    );
  }
  return {
    files: files.toSorted((left, right) => byCodeUnits(left.path, right.path)),
    closed: closed.toSorted(byCodeUnits),
    otherFiles,
  };
}

/**
 * The folder's true path: two ways to write one folder are one run.
 * @throws Problem when there is no such folder, or when it is a file
 */
export async function folderAt(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory())
      throw new Problem(`${path} is a file; name the folder that it lies in. ${folderHint}`);
    return real;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const code = systemCode(error);
    if (code === "ENOENT") throw new Problem(`there is no folder ${path}. ${folderHint}`, { cause: error });
    if (code === "ENOTDIR")
      throw new Problem(`there is no folder ${path}; a part of that path is a file. ${folderHint}`, { cause: error });
    throw new Problem(`the folder ${path} cannot be opened (${code ?? String(error)})`, { cause: error });
  }
}

interface Name {
  readonly name: string;
  readonly kind: "folder" | "file" | "other";
}

/** In no particular order; `undefined` for a folder that cannot be opened. */
async function namesIn(folder: string): Promise<Name[] | undefined> {
  try {
    const names: Name[] = [];
    for await (const entry of await opendir(folder)) {
      names.push({ name: entry.name, kind: entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other" });
    }
    return names;
  } catch {
    return undefined;
  }
}

async function entryOf(folder: string, path: string): Promise<FileEntry> {
  try {
    const found = await lstat(join(folder, path), { bigint: true });
    const readable = await access(join(folder, path), constants.R_OK).then(
      () => true,
      () => false,
    );
    return { path, bytes: Number(found.size), modified: String(found.mtimeNs), readable };
  } catch {
    // Gone since it was listed, or of a name that is no valid text: it is named in the report.
    return { path, bytes: 0, modified: "0", readable: false };
  }
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
