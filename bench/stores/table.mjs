// Durable runs in a database beside its raw commits of the same bytes, in turn. Progress on stderr, tables on stdout.
import { shown } from "../durable/spread.mjs";
import { chainRatio, inFlight, listing, logGrowth, sizesFor, statementCounts } from "./measure.mjs";

const aims = {
  SQLite: { ratio: 1.5, inFlight: 5 },
  PostgreSQL: { ratio: 1.6, transactions: 1, statements: 2 },
};

const mediums = {
  sqlite: async () => await (await import("./sqlite.mjs")).openSqlite(),
  postgres: async () => await (await import("./postgres.mjs")).openPostgres(),
};
export const storeNames = Object.keys(mediums);

/** `seconds`: how long rounds are repeated; `quick`: small, to see that it works; `json`: figures in place of tables. */
export async function storeTable({ store, seconds, quick, json }) {
  const medium = await mediums[store]();
  const say = (text) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${medium.name}: ${text}\n`);
  const sizes = sizesFor(quick);
  const results = {};
  const measures = { chainRatio, inFlight, logGrowth, statementCounts, listing };
  try {
    for (const [name, measure] of Object.entries(measures)) {
      say(name);
      results[name] = await measure(medium, { seconds, sizes, say });
    }
  } finally {
    await medium.close();
  }
  if (json) console.log(JSON.stringify({ medium: medium.about, ...results }, undefined, 2));
  else console.log(markdown(medium, results));
}

function markdown(
  { name, about, raw },
  { chainRatio: chain, inFlight: many, logGrowth: logs, statementCounts: counts, listing: list },
) {
  const aim = aims[name];
  const lines = [
    `\nDurable: ${about}; values of 1 KiB; medians of rounds (10th-90th percentile)\n`,
    "| what | figure | aim |",
    "| --- | --- | --- |",
    row(
      `one run of ${chain.nodes} nodes, to ${raw} of ${chain.bytesASave} bytes, a node`,
      shown(chain.ratio),
      `${aim.ratio}`,
    ),
    row("ms a node; the raw one", `${shown(chain.msANode, 3)}; ${shown(chain.rawMs, 3)}`),
    row("nodes a second: one run", shown(many.alone, 0)),
    row(`nodes a second: ${many.runs} runs in flight`, shown(many.together, 0)),
    row("the second to the first", shown(many.ratio), aim.inFlight),
  ];
  for (const { length, logANode, valuesANode } of logs) {
    const label = `bytes in the log a node, a run of ${length} (given to the store: ${valuesANode.toFixed(0)})`;
    lines.push(row(label, logANode.toFixed(0), length === logs[0].length ? "" : "no more than a shorter run's"));
  }
  if (counts !== undefined) {
    lines.push(row("transactions a node", counts.transactions.toFixed(3), `${aim.transactions}`));
    lines.push(row("statements a node", counts.statements.toFixed(3), `${aim.statements}`));
  }
  for (const { what, ms } of list.rows) lines.push(row(`${what}, of ${list.count} runs, ms`, shown(ms)));
  return lines.join("\n");
}

const row = (what, figure, aim = "") => `| ${what} | ${figure} | ${aim} |`;
