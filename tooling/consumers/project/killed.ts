import { graph, key, node, retry, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const first = key("first", type<number>());
const second = key("second", type<number>());
const third = key("third", type<number>());

/** A chain of three. The middle one fails once and then kills its process at its second try, once in this folder. */
function chain(folder: string) {
  const note = (line: string): void => appendFileSync(join(folder, "bodies.txt"), `${line}\n`);
  const begin = node("begin", { provides: [first] }, () => {
    note("begin");
    return { first: 1 };
  });
  const middle = node(
    "middle",
    { requires: [first], provides: [second], aspects: [retry({ limit: 3 })] },
    (values, context) => {
      note(`middle ${context.attempt}`);
      if (context.attempt === 1) throw new Error("not yet");
      const mark = join(folder, "killed");
      if (!existsSync(mark)) {
        writeFileSync(mark, "");
        process.kill(process.pid, "SIGKILL");
      }
      return { second: values.first + 1 };
    },
  );
  const end = node("end", { requires: [second], provides: [third] }, ({ second }) => {
    note("end");
    return { third: second + 1 };
  });
  return graph("chain", { outputs: [third], nodes: [begin, middle, end] });
}

async function runChain(folder: string): Promise<number> {
  await using pulse = durable({ store: fileStore({ folder: join(folder, "runs") }) });
  const outcome = await pulse.runOrResume(chain(folder), {}, { runId: "chain-1", version: "1" });
  return outcome.values.third;
}

/** Runs the chain in a process that is killed, then in one that ends, and looks at what ran how often. */
export function runKilled(folder: string): string {
  const runInChild = () => spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder], { encoding: "utf8" });
  const killed = runInChild();
  assert.ok(killed.signal === "SIGKILL" || process.platform === "win32", killed.stderr);
  assert.deepEqual(bodiesIn(folder), ["begin", "middle 1", "middle 2"]);

  const resumed = runInChild();
  assert.equal(resumed.status, 0, resumed.stderr);
  assert.equal(resumed.stdout.trim(), "3");
  // The confirmed node did not run again, and the try that failed before the crash is still used up.
  assert.deepEqual(bodiesIn(folder), ["begin", "middle 1", "middle 2", "middle 2", "end"]);
  return "killed and resumed";
}

function bodiesIn(folder: string): string[] {
  return readFileSync(join(folder, "bodies.txt"), "utf8").trim().split("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await runChain(process.argv[2] ?? ""));
