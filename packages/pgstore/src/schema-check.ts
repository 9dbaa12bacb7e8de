import { refusal } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import type { Database } from "./database.ts";
import type { Limit } from "./limit.ts";
import type { Notify } from "./notice.ts";
import { lookAtSchema, schemaProblem } from "./schema.ts";
import type { LookedAt, Schema } from "./schema.ts";
import { judgeSchema } from "./schema-state.ts";

export interface SchemaCheckParts {
  readonly database: Database;
  readonly schema: Schema;
  readonly notify: Notify;
}

/** Makes sure that the schema is as it should be. @throws PULSE_STORE, PULSE_NEWER_FORMAT */
export type SchemaCheck = (doing: Doing, limit: Limit) => Promise<void>;

/**
 * Looks at the schema before the first call: once for all that come at the same time, and never again when it was as it
 * should be.
 */
export function schemaCheck({ database, schema, notify }: SchemaCheckParts): SchemaCheck {
  let looking: Promise<LookedAt> | undefined;
  let ready = false;
  const look = async (limit: Limit): Promise<LookedAt> =>
    await lookAtSchema(async (statement) => await database.run(statement, { limit }), schema);
  return async (doing, limit) => {
    if (ready) return;
    // One caller's signal does not end the look of the others.
    looking ??= look({ until: limit.until }).finally(() => {
      looking = undefined;
    });
    const found = await looking;
    const problem = schemaProblem(doing, schema.name, judgeSchema(found));
    if (problem !== undefined) throw problem;
    if (found.isolation !== "read committed") {
      const isolation = `transactions of this user are ${JSON.stringify(found.isolation)} by default, and saves need "read committed"`;
      throw refusal(doing, `${isolation}; alter the user's or the database's default_transaction_isolation`);
    }
    if (found.readOnly) {
      const readOnly = "the database is read-only, perhaps a standby; connect to the primary, then try again";
      throw refusal(doing, readOnly, "25006");
    }
    if (ready) return;
    ready = true;
    if (found.synchronousCommit === "off") {
      notify(
        "not-durable",
        "synchronous_commit is off: a crash of the server may undo saves that were reported as done",
      );
    }
  };
}
