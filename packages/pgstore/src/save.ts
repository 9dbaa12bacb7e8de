import { corrupt, doingWith, refusal } from "@pulse-ts/durable/define-store";
import type { Content, Save, SaveResult } from "@pulse-ts/durable/define-store";
import { byteaArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import type { Ownership } from "./lease.ts";
import { entryRow, keyDigest, runChecksum, runRowOf } from "./rows.ts";
import { saveText } from "./save-text.ts";
import type { SaveParts } from "./save-text.ts";
import type { Schema } from "./schema.ts";

/** Writes saves (STORE-3, STORE-6, PG-4): one statement, one round trip, one commit. */
export interface Saver {
  /** @throws PULSE_CORRUPT for a content that must be there and is not */
  save(owned: Ownership, save: Save): Promise<SaveResult>;
}

export interface SaverParts {
  readonly database: Database;
  readonly schema: Schema;
  readonly leaseMs: number;
  readonly medium: string;
}

export function saver({ database, schema, leaseMs, medium }: SaverParts): Saver {
  const texts = new Map<string, string>();
  const textFor = (parts: SaveParts): string => {
    const name = JSON.stringify(parts);
    let text = texts.get(name);
    if (text === undefined) texts.set(name, (text = saveText(schema, parts)));
    return text;
  };
  const look = `SELECT revision::text,
    epoch = $2::bigint AND owner IS NOT DISTINCT FROM $3::uuid AND lease_end > clock_timestamp() AS owned
    FROM ${schema.table("runs")} WHERE run_no = $1::bigint`;
  const lookForContents = `SELECT encode(digest, 'hex') AS digest, size::text FROM ${schema.table("contents")}
    WHERE digest = ANY ($1::bytea[])`;

  /** Nothing was written. Only now it is asked why: most saves need no such question. */
  const whyNot = async (owned: Ownership, save: Save): Promise<SaveResult> => {
    const asked = [owned.runNo, owned.epoch, owned.owner];
    const [found] = await database.run(
      { step: "save-look", text: look, values: asked },
      { patient: true, repeatable: true },
    );
    if (found?.["owned"] !== true) return "fenced";
    const revision = Number(found["revision"]);
    if (revision !== save.expectedRevision) return { conflict: revision };
    const { runId } = owned.run;
    const named = save.contents.filter(({ bytes }) => bytes === undefined);
    const values = [byteaArray(named.map(digestBytes))];
    const there = await database.run(
      { step: "save-look", text: lookForContents, values },
      { patient: true, repeatable: true },
    );
    const lost = named.find(
      ({ digest, size }) => !there.some((row) => row["digest"] === digest && Number(row["size"]) === size),
    );
    if (lost === undefined) {
      throw refusal(doingWith("saving", runId, medium), "the run was changed while it was looked at; resume it");
    }
    const isThere = there.some((row) => row["digest"] === lost.digest);
    const wrong = isThere ? "it is not as long as the record says" : "it is missing";
    throw corrupt(runId, `the content ${lost.digest} in ${schema.table("contents")}`, wrong);
  };

  return {
    async save(owned, save) {
      const { parts, values } = saveValues(owned, save, leaseMs);
      const bytes = values.reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
      if (bytes > saveBytesMax) {
        const found = `its changes have ${bytes} bytes, and PostgreSQL takes ${saveBytesMax} in a statement at most; make values smaller`;
        throw refusal(doingWith("saving", owned.run.runId, medium), found, "54000");
      }
      const statement = { step: "save", text: textFor(parts), values, prepared: true } as const;
      const written = await database.change(statement, { patient: true });
      return written > 0 ? "saved" : await whyNot(owned, save);
    },
  };
}

/** The server's own limit is 1 GiB for a message, and for a value. */
const saveBytesMax = 1_000_000_000;

function saveValues(owned: Ownership, save: Save, leaseMs: number) {
  const { run } = owned;
  const { revision, changes, next, contents } = save;
  const row = runRowOf({ ...next.header, revision });
  // The last word on a key counts: one statement cannot write a row twice.
  const last = [...new Map(changes.map((change) => [change.key, change])).values()];
  const puts = last.flatMap((change) =>
    change.kind === "put" ? [entryRow(run, revision, change.key, change.entry)] : [],
  );
  const deleted = last.flatMap(({ kind, key }) => (kind === "delete" ? [keyDigest(Buffer.from(key))] : []));
  const values: unknown[] = [
    owned.runNo,
    owned.epoch,
    owned.owner,
    save.expectedRevision,
    leaseMs,
    row.status,
    Buffer.from(row.version),
    row.resumes,
    runChecksum(run, row),
  ];
  if (puts.length > 0) {
    values.push(
      byteaArray(puts.map(({ keyDigest: digest }) => digest)),
      byteaArray(puts.map(({ key }) => key)),
      byteaArray(puts.map(({ text }) => text)),
      byteaArray(puts.map(({ bytes }) => bytes)),
      `{${puts.map(({ checksum }) => checksum).join(",")}}`,
    );
  }
  if (deleted.length > 0) values.push(byteaArray(deleted));
  if (contents.length > 0) values.push(...contentValues(contents));
  const parts = { puts: puts.length > 0, deletes: deleted.length > 0, contents: contents.length > 0 };
  return { parts, values };
}

function contentValues(contents: readonly Content[]): readonly unknown[] {
  const named = contents.filter(({ bytes }) => bytes === undefined);
  const fresh = contents.filter(({ bytes }) => bytes !== undefined);
  return [
    byteaArray(named.map(digestBytes)),
    `{${named.map(({ size }) => size).join(",")}}`,
    byteaArray(fresh.map(digestBytes)),
    byteaArray(fresh.map(({ bytes }) => bytes ?? null)),
  ];
}

const digestBytes = ({ digest }: Content): Buffer => Buffer.from(digest, "hex");
