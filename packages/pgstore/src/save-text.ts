import type { Schema } from "./schema.ts";

/** What a statement has to do beside the run's row; what it has not it is left without. */
export interface SaveParts {
  readonly puts: boolean;
  readonly deletes: boolean;
  readonly contents: boolean;
}

/**
 * The comparison and all that is written are one statement (PG-4): the entries come out of the row that the update gives
 * back, and there is none unless run, epoch, owner, revision and lease are as expected. Where the row is locked by somebody
 * else the update waits and then compares with what that one left; the new owner of a run has changed it.
 *
 * Its answer is how many rows it ends with: none when nothing was written. It gives no row back, since telling what a row
 * is like takes server and client longer than the comparison.
 */
export function saveText(schema: Schema, { puts, deletes, contents }: SaveParts): string {
  const entries = schema.table("entries");
  let used = 9;
  const next = (type: string): string => `$${(used += 1)}::${type}`;
  const put = puts
    ? `INSERT INTO ${entries} AS e (run_no, revision, key_digest, key, text, bytes, checksum)
  SELECT run.run_no, $4::bigint + 1, p.key_digest, p.key, p.text, p.bytes, p.checksum
  FROM run CROSS JOIN unnest(${next("bytea[]")}, ${next("bytea[]")}, ${next("bytea[]")}, ${next("bytea[]")}, ${next("integer[]")})
    AS p (key_digest, key, text, bytes, checksum)
  ON CONFLICT (run_no, key_digest) DO UPDATE
  SET revision = excluded.revision, text = excluded.text, bytes = excluded.bytes, checksum = excluded.checksum`
    : "SELECT FROM run";
  const drop = deletes
    ? `, dropped AS (
    DELETE FROM ${entries} e USING run WHERE e.run_no = run.run_no AND e.key_digest = ANY (${next("bytea[]")})
  )`
    : "";
  const content = contents ? contentParts(schema, next) : { before: "", condition: "", after: "" };
  return `WITH ${content.before}run AS (
    UPDATE ${schema.table("runs")} SET revision = $4::bigint + 1,
      lease_end = clock_timestamp() + $5::double precision * interval '1 millisecond',
      status = $6::text, version = $7::bytea, resumes = $8::bigint, checksum = $9::integer
    WHERE run_no = $1::bigint AND epoch = $2::bigint AND owner = $3::uuid AND revision = $4::bigint
      AND lease_end > clock_timestamp()${content.condition}
    RETURNING run_no
  )${drop}${content.after}
  ${put}`;
}

/**
 * Contents go with the save that names them (STORE-8). First those that are there are locked, all in one order, so that no
 * two saves wait for each other; what must be there and is not makes the comparison fail. New ones are written if they are
 * what their digests say; then the use of each is written down, which the foreign key lets nobody do for what is not there.
 */
function contentParts(schema: Schema, next: (type: string) => string) {
  const table = schema.table("contents");
  const [named, sizes, fresh, bytes] = [next("bytea[]"), next("bigint[]"), next("bytea[]"), next("bytea[]")];
  const all = `${named} || ${fresh}`;
  return {
    before: `held AS (
    SELECT c.digest, c.size FROM ${table} c WHERE c.digest = ANY (${all}) ORDER BY c.digest FOR NO KEY UPDATE OF c
  ), `,
    condition: `
      AND (SELECT count(*) FROM held JOIN unnest(${named}, ${sizes}) AS n (digest, size) USING (digest, size))
        = cardinality(${named})`,
    // Bytes that are there already stay where they are; damaged ones are mended.
    after: `, touched AS (
    UPDATE ${table} c SET used_at = clock_timestamp() FROM run WHERE c.digest = ANY (${named})
  ), kept AS (
    INSERT INTO ${table} AS c (digest, size, used_at, bytes)
    SELECT n.digest, length(n.bytes), clock_timestamp(), n.bytes
    FROM run CROSS JOIN unnest(${fresh}, ${bytes}) AS n (digest, bytes) WHERE sha256(n.bytes) = n.digest ORDER BY n.digest
    ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at, size = excluded.size,
      bytes = CASE WHEN c.bytes = excluded.bytes THEN c.bytes ELSE excluded.bytes END
  ), used AS (
    INSERT INTO ${schema.table("content_uses")} (digest, run_no)
    SELECT n.digest, run.run_no FROM run CROSS JOIN unnest(${all}) AS n (digest) ORDER BY n.digest
    ON CONFLICT DO NOTHING
  )`,
  };
}
