import type { FileHandle } from "node:fs/promises";
import type { Platform } from "./platform.ts";
import { systemCode } from "./platform.ts";

/**
 * A journal that its owner writes, one line after the other. What makes an append slow to sync is that the file grows: the
 * system then writes where its blocks lie, too. So a journal that has become long gets room in advance, as zeros behind
 * its last line, and is cut to its lines when it is closed. No line holds a zero byte: whoever reads meanwhile, or after
 * its process has died, finds a last line that was never written.
 */
export class JournalFile {
  readonly #platform: Platform;
  readonly #file: FileHandle;
  readonly #roomFrom: number;
  /** Where the next line goes. */
  #end: number;
  /** How long the file is. */
  #length: number;

  private constructor(platform: Platform, file: FileHandle, length: number, roomFrom: number) {
    this.#platform = platform;
    this.#file = file;
    this.#end = length;
    this.#length = length;
    this.#roomFrom = roomFrom;
  }

  /** Opens a journal that ends with a whole line. `roomFrom`: bytes from which it gets room in advance. */
  static async open(platform: Platform, path: string, roomFrom: number): Promise<JournalFile> {
    const file = await platform.openToWrite(path);
    try {
      return new JournalFile(platform, file, (await file.stat()).size, roomFrom);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Appends a line and resolves when it survives a loss of power. The bytes may change after that. */
  async append(line: Uint8Array): Promise<void> {
    const end = this.#end + line.length;
    await this.#platform.write("journal-append", this.#file, line, this.#end);
    this.#end = end;
    if (end > this.#length) {
      this.#length = end;
      if (end >= this.#roomFrom) await this.#makeRoom();
    }
    await this.#platform.sync("journal-sync", this.#file);
  }

  /** Appends the line that ends the journal, as far as the disk allows, and leaves no room behind it. */
  async finish(line: Uint8Array): Promise<void> {
    await this.#cut();
    await this.#platform.write("journal-close", this.#file, line, this.#end);
    this.#end += line.length;
    this.#length = this.#end;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #makeRoom(): Promise<void> {
    const room = zeros.subarray(0, Math.min(zeros.length, Math.max(this.#end, roomMin)));
    try {
      await this.#platform.write("journal-extend", this.#file, room, this.#end);
      this.#length = this.#end + room.length;
    } catch (error) {
      // A disk without room for more may have some for the next line.
      if (!["ENOSPC", "EDQUOT", "EFBIG"].includes(systemCode(error) ?? "")) throw error;
      this.#length = Number.POSITIVE_INFINITY;
      await this.#cut();
    }
  }

  async #cut(): Promise<void> {
    if (this.#length > this.#end) await this.#platform.truncate("journal-cut", this.#file, this.#end);
  }
}

/** Bytes of room at least and at most; in between, as much as the journal is long. */
const roomMin = 4 * 1024;
const zeros = new Uint8Array(256 * 1024);

/** Bytes from which a journal gets room in advance: a short run is not worth it. */
export const roomFromDefault = 16 * 1024;
