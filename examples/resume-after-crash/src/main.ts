import { attach } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import { join } from "node:path";
import { ordering, outside } from "./order.ts";
import { outsideIn } from "./outside.ts";

const [folder = join(".pulse", "resume-after-crash")] = process.argv.slice(2);

await using pulse = durable({ store: fileStore({ folder: join(folder, "runs") }) });
const outcome = await pulse.runOrResume(
  ordering,
  { order: { item: "lantern", cents: 4_200 } },
  {
    runId: "order-1",
    version: "1",
    attachments: [attach(outside, outsideIn(folder))],
  },
);
console.log(outcome.values.receipt);
