import { corrupt } from "@pulse-ts/durable/define-store";
import type { Content } from "@pulse-ts/durable/define-store";
import { atStep } from "./fault-points.ts";
import type { Parts } from "./parts.ts";
import type { Sqlite } from "./sqlite.ts";

interface ContentRow {
  readonly number: number;
  readonly size: number;
}

/**
 * Puts a content where a record may name it, or marks the one that is there as used, so that no collection takes it: in the
 * transaction of the save that names it (STORE-8). Equal content is kept once.
 * @throws PULSE_CORRUPT for one that had to be there and is missing
 */
export function putContent(parts: Parts, sqlite: Sqlite, runId: string, { digest, size, bytes }: Content): void {
  const { at, file, now } = parts;
  const found = sqlite.get("SELECT number, size FROM content WHERE digest = ?", digest) as ContentRow | undefined;
  if (bytes === undefined) {
    const where = `the content ${digest} in ${file}`;
    if (found === undefined) throw corrupt(runId, where, "it is missing");
    if (found.size !== size) throw corrupt(runId, where, `it has ${found.size} bytes, the record says ${size}`);
  }
  if (found === undefined) {
    if (bytes === undefined) return;
    atStep(at, "content-put", () => {
      const { number } = (sqlite.get(
        "INSERT INTO content (digest, size, used) VALUES (?, ?, ?) RETURNING number",
        digest,
        size,
        now(),
      ) as { readonly number: number } | undefined) ?? { number: 0 };
      sqlite.run("INSERT INTO content_bytes (content, bytes) VALUES (?, ?)", number, bytes);
    });
    return;
  }
  atStep(at, "content-use", () => {
    sqlite.run("UPDATE content SET used = ?, leaving = NULL WHERE number = ?", now(), found.number);
    if (bytes === undefined || isWhole(sqlite, found, bytes)) return;
    // Damaged, and here are its bytes again.
    sqlite.run("UPDATE content SET size = ? WHERE number = ?", size, found.number);
    sqlite.run("INSERT OR REPLACE INTO content_bytes (content, bytes) VALUES (?, ?)", found.number, bytes);
  });
}

function isWhole(sqlite: Sqlite, { number, size }: ContentRow, bytes: Uint8Array): boolean {
  const row = sqlite.get("SELECT bytes FROM content_bytes WHERE content = ?", number) as
    | { readonly bytes: Uint8Array }
    | undefined;
  return row !== undefined && size === bytes.length && Buffer.compare(row.bytes, bytes) === 0;
}

/** The bytes under a digest, not checked. */
export function contentBytes(sqlite: Sqlite, digest: string): Uint8Array | undefined {
  const row = sqlite.get(
    "SELECT bytes FROM content_bytes WHERE content = (SELECT number FROM content WHERE digest = ?)",
    digest,
  ) as { readonly bytes: Uint8Array } | undefined;
  return row === undefined ? undefined : new Uint8Array(row.bytes.buffer, row.bytes.byteOffset, row.bytes.length);
}
