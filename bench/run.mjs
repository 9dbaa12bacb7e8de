// pnpm bench [--only core|durable] [--seconds N] [--engine NAME] [--workload NAME] [--json]: prints what Pulse costs, as
// tables of ratios. Machines are noisy: compare ratios of one run, never single times of two.
import { parseArgs } from "node:util";
import { streamsTable } from "./core/streams-table.mjs";
import { coreTable } from "./core/table.mjs";
import { durableTable } from "./durable/table.mjs";

const usage = `pnpm bench [options]; build first: pnpm build
  --only core|streams|durable   one of the three only
  --seconds N           how long each workload is repeated; default 2
  --engine NAME         core, streams: only the engines whose names begin so
  --workload NAME       durable: only the workloads whose names begin so (chain-, fan-, many-, big-, resume-)
  --json                durable: figures in place of tables`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "2" },
    engine: { type: "string" },
    workload: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log(usage);
else {
  const { only, engine, workload, json } = values;
  const seconds = Number(values.seconds);
  if (only === undefined || only === "core") coreTable({ seconds, only: engine });
  if (only === undefined || only === "streams") streamsTable({ only: engine });
  if (only === undefined || only === "durable") await durableTable({ seconds, workload, json });
}
