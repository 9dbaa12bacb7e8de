import { graph, key, node, optional, type } from "@pulse-ts/core";
import { expectTypeOf, test } from "vitest";
import { durable } from "./durable.ts";
import { memoryStore } from "./memory-store.ts";

const url = key("url", type<string>());
const limit = key("limit", type<number>());
const page = key("page", type<{ title: string }>());
const load = graph("load", {
  inputs: [url, optional(limit)],
  outputs: [page],
  nodes: [node("load", { requires: [url], provides: [page] }, ({ url }) => ({ page: { title: url } }))],
});
const call = { runId: "run", version: "1" };

test("DUR-1 inputs and outcomes of durable runs are inferred as those of core's run", async () => {
  const pulse = durable({ store: memoryStore() });
  const outcome = await pulse.run(load, { url: "x" }, call);
  expectTypeOf(outcome.values.page).toEqualTypeOf<{ title: string }>();
  expectTypeOf((await pulse.resume(load, { url: "x", limit: 3 }, call)).values.page.title).toEqualTypeOf<string>();
  const handle = await pulse.start(
    load,
    { url: "x" },
    { ...call, beforeStart: (execution) => void execution.snapshot() },
  );
  expectTypeOf((await handle.wait()).values).toEqualTypeOf<{ readonly page: { title: string } }>();
  // @ts-expect-error a missing input
  await pulse.run(load, {}, call);
  // @ts-expect-error an input of another type
  await pulse.run(load, { url: 1 }, call);
  // @ts-expect-error a run needs a version
  await pulse.run(load, { url: "x" }, { runId: "run" });
});
