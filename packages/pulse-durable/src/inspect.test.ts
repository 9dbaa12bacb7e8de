import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { memoryStore } from "./memory-store.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { crashGraph } from "./testing/graphs.ts";
import { rootAttempt, sampleRecord } from "./testing/sample-record.ts";
import { worker } from "./testing/worker.ts";

const call = { runId: "run", version: "1" };

test("DUR-14 inspect shows scopes, nodes and attempts as a tree, without owning the run", async () => {
  const memory = memoryStore();
  const dying = worker(memory);
  // Dies while the child's second node has failed its first try.
  const seen = new Promise<void>((resolve) => {
    dying.store.faults.before = async ({ changes }) => {
      if (!changes.some(({ key }) => key.endsWith("/second"))) return;
      resolve();
      await new Promise(() => {});
    };
  });
  void dying.pulse
    .run(
      crashGraph(() => {}),
      { start: 5 },
      call,
    )
    .catch(() => {});
  await seen;
  // The run is owned by the process that still holds it.
  const tree = await worker(memory).pulse.inspect("run");
  expect(tree).toMatchObject({
    runId: "run",
    status: "running",
    version: "1",
    resumes: 0,
    root: { graph: "crashing", path: "" },
  });
  const byId = Object.fromEntries(tree.root.nodes.map((node) => [node.nodeId, node]));
  expect(Object.keys(byId)).toEqual(["child", "double", "leave", "try"]);
  expect(byId["double"]).toMatchObject({
    path: "double",
    state: "completed",
    outputs: [{ name: "doubled", state: "ready" }],
  });
  expect(byId["leave"]).toMatchObject({ state: "skipped", outputs: [{ name: "left", state: "skipped" }] });
  // Nothing depended on the try that succeeded, so no save holds it (DUR-10).
  expect(byId["try"]?.attempts[0]?.attempts.map(({ index, limit, state }) => [index, limit, state])).toEqual([
    [1, 3, "failed"],
    [2, 3, "failed"],
  ]);
  const child = byId["child"]?.attempts[0]?.child;
  expect(child).toMatchObject({ graph: "child", path: "child" });
  expect(child?.nodes.map(({ path, state }) => [path, state])).toEqual([
    ["child/first", "completed"],
    ["child/second", "active"],
  ]);
});

test("DUR-14 inspect needs the store's catalogue, and says so", async () => {
  const { acquire } = memoryStore();
  const error = await rejectionOf("PULSE_USAGE", durable({ store: { acquire } }).inspect("run"));
  expect(error.details).toMatchObject({ rule: "DUR-14", runId: "run" });
});

test("DUR-14 REC-6 a record that is no tree is refused, not walked for ever", async () => {
  const id = "0".repeat(32);
  const round = sampleRecord({ attempts: { [id]: rootAttempt("a", { parent: id }) } });
  const { catalog, acquire } = memoryStore();
  const pulse = durable({ store: { acquire, catalog: { ...catalog, read: () => Promise.resolve(round) } } });
  const error = await rejectionOf("PULSE_CORRUPT", pulse.inspect("run"));
  expect(error.message).toContain('inspecting run "run": header rootScope: is also the id of an attempt');
});
