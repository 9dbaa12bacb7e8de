// Each workload runs in a process of its own: its memory is its own, and nothing is warm.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a script of this folder and gives the last line of its stdout as JSON; `spawnedAt` is the time on the wall clock. */
export async function runScript(script, args, { timeoutMs = 3_600_000 } = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const spawnedAt = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, [path, ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => void (text += part));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...end) => resolve(end));
  });
  clearTimeout(timer);
  const last = text.trim().split("\n").at(-1) ?? "";
  if (last === "") throw new Error(`${script} ${args.join(" ")} ended without a result (${signal ?? code})`);
  return { ...JSON.parse(last), spawnedAt };
}
