// pnpm bench [--only core|streams|durable|durable-streams] [--seconds N] [--engine NAME] [--workload NAME] [--json]: prints what Pulse costs, as
// tables of ratios. Machines are noisy: compare ratios of one run, never single times of two.
import { parseArgs } from "node:util";
import { streamsTable } from "./core/streams-table.mjs";
import { coreTable } from "./core/table.mjs";
import { durableStreamsTable } from "./durable/streams.mjs";
import { durableTable } from "./durable/table.mjs";
import { storeNames, storeTable } from "./stores/table.mjs";

const usage = `pnpm bench [options]; build first: pnpm build
  --only NAME           core, streams, durable or durable-streams only
  --seconds N           how long each workload is repeated; default 2
  --engine NAME         core, streams: only the engines whose names begin so
  --workload NAME       durable: only the workloads whose names begin so (chain-, fan-, many-, big-, resume-)
  --store NAME          durable, durable-streams: file (the default), sqlite or postgres
  --quick               durable on a database, durable-streams: all of it small, to see that it works
  --json                durable, durable-streams: figures in place of tables`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "2" },
    engine: { type: "string" },
    workload: { type: "string" },
    store: { type: "string", default: "file" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log(usage);
else {
  const { only, engine, workload, store, quick, json } = values;
  const seconds = Number(values.seconds);
  if (store !== "file" && !storeNames.includes(store)) throw new Error(`there is no store ${store}; --help shows them`);
  const wanted = (name) => (only === undefined ? store === "file" || name.startsWith("durable") : only === name);
  if (wanted("core")) coreTable({ seconds, only: engine });
  if (wanted("streams")) streamsTable({ only: engine });
  if (wanted("durable") && store === "file") await durableTable({ seconds, workload, json });
  if (wanted("durable-streams")) await durableStreamsTable({ store, seconds, quick, json });
  if (wanted("durable") && store !== "file") await storeTable({ store, seconds, quick, json });
}
