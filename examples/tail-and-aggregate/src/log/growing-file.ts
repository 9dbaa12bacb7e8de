import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Problem, systemCode } from "../problem.ts";
import type { Place, Portion } from "../values.ts";

/** How many bytes before a place are compared when the reading goes on from there. */
const beforeBytes = 256;
/** A longer line is no line of a log. In bytes. */
export const lineBytesMax = 1 << 20;
const chunkBytes = 1 << 16;
/** How long it waits at the end of the file before it looks again. */
const pollMs = 200;

export interface ReadOptions {
  /** Waits for more at the end of the file, until the file is replaced by another or `signal` aborts. */
  readonly follow: boolean;
  /** At most so many lines make a portion. */
  readonly linesMax: number;
  readonly signal: AbortSignal;
}

/**
 * The portions of a file from a place on, each with the place after it. The same bytes make the same portions, as long as
 * they are all there. A last line without its end is a line only when nobody waits for more.
 * @throws Problem when the file is not there, is shorter than the place, or has other bytes before it
 */
export async function* portionsFrom(
  path: string,
  from: Place | undefined,
  options: ReadOptions,
): AsyncGenerator<{ readonly portion: Portion; readonly place: Place; readonly fileBytes: number }> {
  if (from?.ended === true) return;
  const file = await openFile(path);
  try {
    const reading = new Reading(file, path, from?.bytes ?? 0);
    if (from !== undefined) await reading.compare(from);
    for (;;) {
      const { lines, last } = await reading.next(options);
      const { bytes } = reading;
      const place = { bytes, before: await reading.digestBefore(bytes), ended: last };
      yield { portion: { lines, last }, place, fileBytes: (await file.stat()).size };
      if (last) return;
    }
  } finally {
    await file.close();
  }
}

/** @throws Problem when there is no such file, or it is none that can be read */
export async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    const code = systemCode(error);
    const found = code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "no permission" : String(error);
    throw new Problem(`${path} cannot be read: ${found}. Put it back or name another, and give the command again.`, {
      cause: error,
    });
  }
  throw new Problem(`${path} is no file. Name the log itself.`);
}

class Reading {
  /** Where the next line begins. */
  bytes: number;
  readonly #file: FileHandle;
  readonly #path: string;
  /** What was read behind that place and is part of no portion yet. */
  #kept: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, path: string, bytes: number) {
    this.#file = file;
    this.#path = path;
    this.bytes = bytes;
  }

  /** @throws Problem when this is not the file that was read up to that place */
  async compare({ bytes, before }: Place): Promise<void> {
    const { size } = await this.#file.stat();
    if (size < bytes) throw this.#shorter(size);
    if ((await this.digestBefore(bytes)) !== before)
      throw new Problem(
        `${this.#path} is another file by now: the bytes before byte ${bytes}, up to which it was counted, are others. ${wayOut}`,
      );
  }

  async digestBefore(bytes: number): Promise<string> {
    const length = Math.min(bytes, beforeBytes);
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, bytes - length);
    return createHash("sha256").update(buffer.subarray(0, bytesRead)).digest("hex");
  }

  /** The next portion: full, or all that is there, or the last one. */
  async next({ follow, linesMax, signal }: ReadOptions): Promise<Portion> {
    const lines: string[] = [];
    for (;;) {
      signal.throwIfAborted();
      this.#take(lines, linesMax);
      if (lines.length === linesMax) return { lines, last: false };
      // Looked for before it is read on: what was written until then is read, and nobody writes into it afterwards.
      const replaced = follow && (await this.#isReplaced());
      if (await this.#readOn()) continue;
      if (follow && !replaced) {
        if (lines.length > 0) return { lines, last: false };
        await wait(pollMs, undefined, { signal });
        continue;
      }
      if (this.#kept.length > 0) {
        lines.push(textOf(this.#kept));
        this.bytes += this.#kept.length;
        this.#kept = Buffer.alloc(0);
      }
      return { lines, last: true };
    }
  }

  /** Takes whole lines out of what was read. */
  #take(lines: string[], linesMax: number): void {
    let from = 0;
    while (lines.length < linesMax) {
      const end = this.#kept.indexOf(0x0a, from);
      if (end < 0) break;
      lines.push(textOf(this.#kept.subarray(from, end)));
      from = end + 1;
    }
    this.#kept = this.#kept.subarray(from);
    this.bytes += from;
    if (this.#kept.length > lineBytesMax && !this.#kept.includes(0x0a))
      throw new Problem(
        `${this.#path}: the line at byte ${this.bytes} has more than ${lineBytesMax} bytes. Is it a log?`,
      );
  }

  /** False at the end of the file. */
  async #readOn(): Promise<boolean> {
    const at = this.bytes + this.#kept.length;
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
    if (bytesRead > 0) this.#kept = Buffer.concat([this.#kept, buffer.subarray(0, bytesRead)]);
    else {
      const { size } = await this.#file.stat();
      if (size < at) throw this.#shorter(size);
    }
    return bytesRead > 0;
  }

  /** Whether the path leads to another file by now, or to none: the log was rotated. */
  async #isReplaced(): Promise<boolean> {
    const own = await this.#file.stat();
    try {
      const there = await stat(this.#path);
      return there.ino !== own.ino || there.dev !== own.dev;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return true;
      throw error;
    }
  }

  #shorter(size: number): Problem {
    return new Problem(
      `${this.#path} was truncated: it has ${size} bytes, and ${this.bytes} have been counted. ${wayOut}`,
    );
  }
}

const wayOut =
  "Put the former file back and give the command again, or count this one from its start: --fresh, or another --run-id.";

const textOf = (line: Buffer): string => {
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
  return line.toString("utf8", 0, end);
};
