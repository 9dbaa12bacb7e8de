// Runs every engine for 1 and 3 groups in a process of its own and prints one table.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { streamEngines } from "./streams-engines.mjs";

const child = fileURLToPath(new URL("streams-child.mjs", import.meta.url));
const aimUs = 3;

export function streamsTable({ messages = 100_000, only }) {
  console.log("\nStreams in memory: CPU time a message (sent, received and acknowledged by each group), capacity 64\n");
  console.log(
    "| groups | engine | ratio to a hand-written channel | µs a message | heap grown over 1,000,000 messages, KiB |",
  );
  console.log("| --- | --- | --- | --- | --- |");
  for (const groups of [1, 3])
    for (const engine of Object.keys(streamEngines)) {
      if (engine.startsWith("hand-written") || (only !== undefined && !engine.startsWith(only))) continue;
      const args = ["--expose-gc", child, engine, String(groups), String(messages)];
      const { stdout, status, signal } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 300_000 });
      const last = stdout.trim().split("\n").at(-1) ?? "";
      const result = last === "" ? { error: `ended without a result (${signal ?? status})` } : JSON.parse(last);
      const aim = engine.startsWith("pulse") ? ` (aim: ${aimUs})` : "";
      console.log(
        result.error === undefined
          ? `| ${groups} | ${engine} | ${(result.us / result.handUs).toFixed(1)} | ${result.us.toFixed(2)}${aim} | ${(result.grown / 1024).toFixed(0)} |`
          : `| ${groups} | ${engine} | ${result.error} | | |`,
      );
    }
}
