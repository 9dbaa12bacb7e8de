import type { Save, SaveResult } from "@pulse-ts/durable/define-store";
import { byteaArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import type { Ownership } from "./lease.ts";
import { entryRow, keyDigest, runChecksum, runRowOf } from "./rows.ts";
import type { Schema } from "./schema.ts";

/** Writes saves (STORE-3, STORE-6, PG-4): one statement, one round trip, one commit. */
export interface Saver {
  save(owned: Ownership, save: Save): Promise<SaveResult>;
}

export function saver(database: Database, schema: Schema, leaseMs: number): Saver {
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
  return {
    async save(owned, save) {
      const { parts, values } = saveValues(owned, save, leaseMs);
      const statement = { step: "save", text: textFor(parts), values, prepared: true } as const;
      const rows = await database.run(statement, { patient: true });
      if (rows.length > 0) return "saved";
      // Nothing was written. Only now it is asked why: most saves need no such question.
      const asked = [owned.runNo, owned.epoch, owned.owner];
      const [found] = await database.run({ step: "save-look", text: look, values: asked }, { patient: true });
      return found?.["owned"] === true ? { conflict: Number(found["revision"]) } : "fenced";
    },
  };
}

/** What a statement has to do beside the run's row; what it has not it is left without. */
interface SaveParts {
  readonly puts: boolean;
  readonly deletes: boolean;
}

function saveValues(owned: Ownership, save: Save, leaseMs: number) {
  const { run } = owned;
  const { revision, changes, next } = save;
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
  return { parts: { puts: puts.length > 0, deletes: deleted.length > 0 }, values };
}

/**
 * The comparison and all that is written are one statement: the entries come out of the row that the update gives back,
 * and there is none unless run, epoch, owner, revision and lease are as expected. Where the row is locked by somebody
 * else the update waits and then compares with what that one left; the new owner of a run has changed it.
 */
function saveText(schema: Schema, { puts, deletes }: SaveParts): string {
  const entries = schema.table("entries");
  const put = `, put AS (
    INSERT INTO ${entries} AS e (run_no, revision, key_digest, key, text, bytes, checksum)
    SELECT run.run_no, $4::bigint + 1, p.key_digest, p.key, p.text, p.bytes, p.checksum
    FROM run CROSS JOIN unnest($10::bytea[], $11::bytea[], $12::bytea[], $13::bytea[], $14::integer[])
      AS p (key_digest, key, text, bytes, checksum)
    ON CONFLICT (run_no, key_digest) DO UPDATE
    SET revision = excluded.revision, text = excluded.text, bytes = excluded.bytes, checksum = excluded.checksum
  )`;
  const drop = `, dropped AS (
    DELETE FROM ${entries} e USING run WHERE e.run_no = run.run_no AND e.key_digest = ANY ($${puts ? 15 : 10}::bytea[])
  )`;
  return `WITH run AS (
    UPDATE ${schema.table("runs")} SET revision = $4::bigint + 1,
      lease_end = clock_timestamp() + $5::double precision * interval '1 millisecond',
      status = $6::text, version = $7::bytea, resumes = $8::bigint, checksum = $9::integer
    WHERE run_no = $1::bigint AND epoch = $2::bigint AND owner = $3::uuid AND revision = $4::bigint
      AND lease_end > clock_timestamp()
    RETURNING run_no
  )${puts ? put : ""}${deletes ? drop : ""}
  SELECT run_no FROM run`;
}
