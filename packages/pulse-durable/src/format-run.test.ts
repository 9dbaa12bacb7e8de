import { graph, node } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { formatRun } from "./format-run.ts";
import { memoryStore } from "./memory-store.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { chainGraph, crashGraph } from "./testing/graphs.ts";
import { worker } from "./testing/worker.ts";

const call = { runId: "run", version: "1" };

test("DUR-14 a completed run as text: its nodes, tries, mounts and sizes", async () => {
  const pulse = durable({ store: memoryStore() });
  await pulse.run(
    crashGraph(() => {}),
    { start: 5 },
    call,
  );
  expect(formatRun(await pulse.inspect("run")).split("\n")).toEqual([
    "run run: completed, version 1, revision 12, never resumed",
    "graph crashing",
    "├─ child completed: result (3 bytes, structured)",
    "│  └─ graph child",
    "│     ├─ first completed: inner (2 bytes, structured)",
    "│     └─ second completed: result (3 bytes, structured)",
    "│        └─ try 1 of 2 failed",
    "├─ double completed: doubled (2 bytes, structured)",
    "├─ leave skipped: left (skipped)",
    "├─ sum completed: total (3 bytes, structured)",
    "└─ try completed: tried (2 bytes, structured)",
    "   ├─ try 1 of 3 failed",
    "   └─ try 2 of 3 failed",
  ]);
});

test("DUR-14 a run that stands still as text: what is active, and its budget", async () => {
  const memory = memoryStore();
  const dying = worker(memory);
  const dead = dying.diesAt(5, "after");
  void dying.pulse
    .run(
      crashGraph(() => {}),
      { start: 5 },
      call,
    )
    .catch(() => {});
  await dead;
  expect(formatRun(await dying.pulse.inspect("run")).split("\n")).toEqual([
    "run run: running, version 1, revision 5, never resumed",
    "graph crashing",
    "├─ child active",
    "│  └─ graph child",
    "├─ double completed: doubled (2 bytes, structured)",
    "├─ leave skipped: left (skipped)",
    "└─ try active",
    "   └─ try 1 of 3 failed",
  ]);
});

test("DUR-14 a failed run tells the text that was kept, and nothing in a name breaks a line", async () => {
  const pulse = durable({ store: memoryStore() });
  const failing = graph("odd\nname", { nodes: [node("a\tb", {}, () => Promise.reject(new Error("one\ntwo")))] });
  const odd = { runId: "line\nbreak", version: "1\u001b[31m", keepFailure: true };
  await rejectionOf("PULSE_RUN_FAILED", pulse.run(failing, {}, odd));
  expect(formatRun(await pulse.inspect("line\nbreak")).split("\n")).toEqual([
    "run line\\nbreak: failed, version 1\\u001b[31m, revision 2, never resumed",
    "failed: one\\ntwo",
    "graph odd\\nname",
    "└─ a\\tb failed",
  ]);
});

test("DUR-14 DUR-12 what is no inspection is refused, and a forgotten await is asked after", async () => {
  const pulse = durable({ store: memoryStore() });
  await pulse.run(graph("one", { nodes: [] }), {}, call);
  const refusal = (given: unknown): Promise<Error> =>
    rejectionOf(
      "PULSE_INVALID",
      Promise.resolve().then(() => formatRun(given as never)),
    );
  const give = "give what `await pulse.inspect(runId)` gives";
  expect((await refusal(pulse.inspect("run"))).message).toBe(
    `formatting a run: the inspection is a promise; ${give}; was \`await\` forgotten?`,
  );
  expect((await refusal(undefined)).message).toBe(`formatting a run: the inspection is undefined; ${give}`);
  expect((await refusal({})).message).toBe(`formatting a run: the inspection is an object of another kind; ${give}`);
});

test("DUR-14 a run that was resumed says how often", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(3);
  for (const revision of [2, 3]) {
    const dying = worker(memory);
    const dead = dying.diesAt(revision, "after");
    void dying.pulse.runOrResume(chain, { start: 0 }, call).catch(() => {});
    await dead;
  }
  const pulse = durable({ store: memory });
  expect(formatRun(await pulse.inspect("run"))).toContain("revision 3, resumed once");
  await pulse.resume(chain, { start: 0 }, call);
  expect(formatRun(await pulse.inspect("run"))).toContain("revision 4, resumed 2 times");
});
