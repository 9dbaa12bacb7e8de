import type { Database } from "./database.ts";
import type { RunOptions } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Reads contents (STORE-10). The caller checks them against their digest. */
export interface ContentReader {
  /** `undefined` when there is none. */
  read(digest: string, options?: RunOptions): Promise<Uint8Array | undefined>;
}

export function contentReader(database: Database, schema: Schema): ContentReader {
  const text = `SELECT size::text, substring(bytes FROM $2::integer FOR $3::integer) AS piece
    FROM ${schema.table("contents")} WHERE digest = $1`;
  return {
    async read(digest, options) {
      const key = Buffer.from(digest, "hex");
      let bytes: Uint8Array | undefined;
      for (let at = 0; bytes === undefined || at < bytes.length; at += pieceBytes) {
        const values = [key, at + 1, pieceBytes];
        const [row] = await database.run({ step: "content-read", text, values, prepared: true }, options);
        if (row === undefined) return undefined;
        bytes ??= new Uint8Array(Number(row["size"]));
        // The type of the column is what the schema says. What is shorter than its size keeps zeros, and the digest tells.
        bytes.set((row["piece"] as Buffer).subarray(0, bytes.length - at), at);
      }
      return bytes;
    },
  };
}

/** The driver reads bytes as a text of twice their length, and a text has a limit. */
const pieceBytes = 8 * 1024 * 1024;
