// pnpm bench [--seconds N] [--only core|durable] [--engine NAME]: prints what Pulse costs, as tables of ratios.
// Machines are noisy: compare ratios of one run, never single times of two.
import { parseArgs } from "node:util";
import { coreTable } from "./core/table.mjs";
import { durableTable } from "./durable/table.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    only: { type: "string" },
    engine: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log("pnpm bench [--seconds N] [--only core|durable] [--engine NAME]; build first: pnpm build");
else {
  if (values.only !== "durable") coreTable({ seconds: Number(values.seconds), only: values.engine });
  if (values.only !== "core") await durableTable();
}
