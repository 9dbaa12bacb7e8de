// Runs every engine on every workload in a process of its own and prints one table.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { engines } from "./engines.mjs";
import { workloads } from "./workloads.mjs";

const child = fileURLToPath(new URL("child.mjs", import.meta.url));
const limits = { chain: 15, fan: 15, layers: 6 };

export function coreTable({ seconds, only }) {
  console.log("\nCore: CPU time a node, as a ratio to hand-written code run in turn in the same process\n");
  console.log(
    "| workload | engine | ratio to code on bare numbers | ratio to code with the same bodies | µs a node | bytes a node (same bodies by hand) | build µs a node |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const workload of Object.keys(workloads))
    for (const engine of Object.keys(engines)) {
      if (engine.startsWith("hand-written") || (only !== undefined && !engine.startsWith(only))) continue;
      if (workload.endsWith("100k") && !engine.startsWith("pulse")) continue;
      const args = ["--expose-gc", "--max-semi-space-size=256", child, engine, workload, String(seconds)];
      const { stdout, status, signal } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 300_000 });
      const last = stdout.trim().split("\n").at(-1) ?? "";
      const result = last === "" ? { error: `ended without a result (${signal ?? status})` } : JSON.parse(last);
      const limit = engine === "pulse" && limits[workload] !== undefined ? ` (aim: ${limits[workload]})` : "";
      const figure = (value, digits = 2) => (value === undefined ? "-" : value.toFixed(digits));
      console.log(
        result.error === undefined
          ? `| ${workload} | ${engine} | ${figure(result.ratio, 1)}${limit} | ${figure(result.sameRatio, 1)} | ${figure(result.us)} | ${figure(result.bytes, 0)}${result.sameBytes === undefined ? "" : ` (${figure(result.sameBytes, 0)})`} | ${figure(result.buildUs)} |`
          : `| ${workload} | ${engine} | ${result.error} | | | | |`,
      );
    }
}
