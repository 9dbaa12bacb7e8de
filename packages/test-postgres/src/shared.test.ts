import { beforeEach, expect, test } from "vitest";
import { needsPostgres, sharedDatabase } from "./index.ts";
import { ask } from "./testing/ask.ts";

beforeEach(needsPostgres);

test("each fresh database is empty, and none sees another", async () => {
  const [one, other] = await Promise.all([sharedDatabase(), sharedDatabase()]);
  await ask(one, "CREATE TABLE own ()");
  await expect(ask(other, "SELECT FROM own")).rejects.toThrow('relation "own" does not exist');
});
