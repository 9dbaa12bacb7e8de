import { describe, expect, test } from "vitest";
import { execution, graph, mount, node, optional, skipped } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { numberKey } from "../testing/keys.ts";

const given = numberKey("given");
const hint = numberKey("hint");
const made = numberKey("made");
const after = numberKey("after");

const inner = graph("inner", {
  inputs: [given],
  outputs: [made],
  nodes: [node("make", { requires: [given], provides: [made] }, (values) => ({ made: values.given + 1 }))],
});

describe("a snapshot", () => {
  const secret = "only bodies read this";
  const text = numberKey("text");

  test("CORE-33 tells the state of every node and port, without values", async () => {
    const gate = deferred();
    const outer = graph("outer", {
      inputs: [given, optional(hint)],
      outputs: [after, made],
      nodes: [
        node("says", { provides: [text] }, () => ({ text: secret as never })),
        mount("child", inner),
        node("skips", { requires: [hint], provides: [] }, () => {}),
        node("holds", { requires: [made], provides: [after] }, async () => (await gate.promise, { after: 1 })),
      ],
    });
    const handle = execution(outer, { given: 1, hint: skipped });
    handle.start();
    await turn();
    const middle = handle.snapshot();
    expect(middle).toMatchObject({ executionId: handle.id, path: "", state: "running" });
    expect(middle.nodes).toEqual([
      { path: "says", state: "finished", reason: "completed" },
      { path: "child", state: "finished", reason: "completed" },
      { path: "skips", state: "finished", reason: "skipped" },
      { path: "holds", state: "running" },
    ]);
    const states = Object.fromEntries(middle.keys.map(({ name, state }) => [name, state]));
    expect(states).toEqual({ given: "ready", hint: "skipped", text: "ready", made: "ready", after: "pending" });
    expect(JSON.stringify(middle)).not.toContain(secret);
    gate.resolve();
    await handle.wait();
    expect(handle.snapshot().nodes.every(({ state }) => state === "finished")).toBe(true);
    expect(middle.nodes.at(-1)).toEqual({ path: "holds", state: "running" });
  });

  test("CORE-33 holds the running children", async () => {
    const gate = deferred();
    const slow = graph("slow", { nodes: [node("holds", {}, () => gate.promise)] });
    const handle = execution(graph("outer", { nodes: [mount("child", slow)] }), {});
    handle.start();
    await turn();
    const [child] = handle.snapshot().children;
    expect(child).toMatchObject({
      path: "child",
      state: "running",
      nodes: [{ path: "child/holds", state: "running" }],
    });
    gate.resolve();
    await handle.wait();
  });

  test("CORE-33 is a copy: changing it changes nothing", async () => {
    const handle = execution(inner, { given: 1 });
    const before = handle.snapshot();
    (before.nodes as unknown[]).length = 0;
    expect(handle.snapshot().nodes).toHaveLength(1);
    handle.start();
    expect((await handle.wait()).values.made).toBe(2);
  });
});
