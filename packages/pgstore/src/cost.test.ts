import { graph, key, node, type } from "@pulse-ts/core";
import { durable, recordBuilder } from "@pulse-ts/durable";
import { needsPostgres, startPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, expect, test } from "vitest";
import { openBench, saveStatement } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const number = (name: string) => key(name, type<number>("number"));
const nodes = 40;

/** One node after the other. */
function chain() {
  const keys = Array.from({ length: nodes + 1 }, (_, at) => number(`k${at}`));
  return graph("chain", {
    inputs: [keys[0]!],
    outputs: [keys[nodes]!],
    nodes: keys.slice(1).map((provided, at) =>
      node(`n${at}`, { requires: [keys[at]!], provides: [provided] }, async (given) => ({
        [provided.name]: Number(given[keys[at]!.name]) + 1,
      })),
    ),
  });
}

test("PG-4 a node costs one transaction of one statement", async () => {
  await using bench = await openBench();
  const pulse = durable({ store: bench.open() });
  await pulse.run(chain(), { k0: 0 }, { runId: "before", version: "1" });
  const from = bench.link.statements.length;
  await pulse.run(chain(), { k0: 0 }, { runId: "run", version: "1" });
  const sent = bench.link.statements.slice(from);
  const saves = sent.filter((text) => saveStatement.test(text));
  // One save a node, and the first one. Beside them: it was acquired, looked for, and let go.
  expect(saves).toHaveLength(nodes + 1);
  expect(sent.length - saves.length).toBeLessThanOrEqual(4);
  expect(sent.filter((text) => /^(BEGIN|COMMIT)/.test(text))).toEqual([]);
  await pulse.close();
});

test("REC-24 the bytes in the server's log for a save do not grow with the run", async () => {
  // No page is written whole after a checkpoint, and nobody tidies up beside it: so the bytes are those of the saves.
  await using server = await startPostgres({ settings: { full_page_writes: "off", autovacuum: "off" } });
  await using bench = await openBench(server.url);
  const run = sampleRun("run");
  const session = await bench.openDirect().acquire(run.runId);
  const builder = recordBuilder(run.runId);
  const bytesOf = async (from: number, to: number): Promise<number> => {
    const before = await written(bench);
    for (let revision = from + 1; revision <= to; revision += 1) {
      for (const change of run.changesTo(revision)) builder.apply(change);
      await session.save(builder.view(revision), revision - 1, run.changesTo(revision));
    }
    return ((await written(bench)) - before) / (to - from);
  };
  await bytesOf(0, 20);
  const early = await bytesOf(20, 220);
  await bytesOf(220, 1_800);
  const late = await bytesOf(1_800, 2_000);
  expect(late).toBeLessThan(early * 1.25);
  expect(early).toBeLessThan(2_000);
});

/** Bytes that the server wrote to its log since it was made. */
async function written({ ask }: PgBench): Promise<number> {
  const [row] = await ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS bytes");
  return Number(row?.["bytes"]);
}
