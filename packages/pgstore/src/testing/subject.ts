import { randomBytes } from "node:crypto";
import { pgFaultPoints, pgStoreAt } from "@pulse-ts/pgstore/testing";
import type { StoreSubject } from "@pulse-ts/store-testkit";
import { sharedDatabase } from "@pulse-ts/test-postgres";
import pg from "pg";

/** A place is a schema: the address of a database, `#`, and its name. */
function partsOf(place: string): { readonly connectionString: string; readonly schema: string } {
  const [connectionString = "", schema = ""] = place.split("#");
  return { connectionString, schema };
}

let database: Promise<string> | undefined;

/** This store, for the conformance kit. */
export const subject: StoreSubject = {
  name: "pgstore",
  async newPlace() {
    database ??= sharedDatabase();
    const place = `${await database}#pulse_${randomBytes(6).toString("hex")}`;
    const store = pgStoreAt(partsOf(place), () => undefined);
    await store.migrate();
    await store.close();
    return place;
  },
  open: (place, at) => pgStoreAt({ ...partsOf(place), leaseMs }, (point) => at?.(point)),
  async removePlace(place) {
    const { connectionString, schema } = partsOf(place);
    const client = new pg.Client({ connectionString });
    // The server may be stopped meanwhile: the statement tells that.
    client.on("error", () => undefined);
    await client.connect();
    await client.query(`DROP SCHEMA ${pg.escapeIdentifier(schema)} CASCADE`);
    await client.end();
  },
  faultPoints: pgFaultPoints,
  takeoverMs: 2_000,
  // The lease has run out by then.
  overtakeMs: 3_500,
};

const leaseMs = 3_000;
