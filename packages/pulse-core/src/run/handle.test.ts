import { describe, expect, test } from "vitest";
import { execution, graph, node } from "../index.ts";
import { turn } from "../testing/deferred.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejection, thrownBy } from "../testing/rejection.ts";

const given = numberKey("given");
const made = numberKey("made");

const inner = graph("inner", {
  inputs: [given],
  outputs: [made],
  nodes: [node("make", { requires: [given], provides: [made] }, (values) => ({ made: values.given + 1 }))],
});

describe("an execution's handle", () => {
  test("CORE-28 a graph builds its executions itself, typed like the function", async () => {
    const handle = inner.execution({ given: 4 });
    handle.start();
    expect((await handle.wait()).values.made).toBe(5);
    // @ts-expect-error the input has another name
    expect(thrownBy(() => inner.execution({ gvien: 4 }))).toMatchObject({ code: "PULSE_INVALID" });
    expect(Object.keys(inner)).not.toContain("execution");
  });

  test("CORE-28 building starts nothing, start starts, wait gives the outcome each time", async () => {
    const started: string[] = [];
    const one = graph("one", {
      outputs: [made],
      nodes: [node("one", { provides: [made] }, () => (started.push("one"), { made: 1 }))],
    });
    const handle = execution(one, {});
    await turn();
    expect(started).toEqual([]);
    handle.start();
    const [outcome, again] = await Promise.all([handle.wait(), handle.wait()]);
    expect([outcome.values.made, again.values.made, (await handle.wait()).values.made]).toEqual([1, 1, 1]);
    expect(started).toEqual(["one"]);
  });

  test("CORE-28 starting twice is an error, and the run goes on", async () => {
    const handle = execution(inner, { given: 1 });
    handle.start();
    expectCode(
      thrownBy(() => handle.start()),
      "PULSE_USAGE",
    );
    expect((await handle.wait()).values.made).toBe(2);
  });

  test("CORE-28 wait rejects with the same error each time", async () => {
    const handle = execution(graph("fails", { nodes: [node("fails", {}, () => Promise.reject(new Error("no")))] }), {});
    handle.start();
    const first = await rejection(handle.wait());
    expect(await rejection(handle.wait())).toBe(first);
    expectCode(first, "PULSE_EXECUTION_FAILED");
  });

  test("CORE-30 CORE-28 an execution cancelled before its start runs nothing", async () => {
    const started: string[] = [];
    const handle = execution(graph("one", { nodes: [node("one", {}, () => void started.push("one"))] }), {});
    handle.cancel("before");
    const error = await rejection((async () => (handle.start(), handle.wait()))());
    expect(expectCode(error, "PULSE_INTERRUPTED").cause).toBe("before");
    expect(started).toEqual([]);
  });

  test("CORE-43 a cancel before the start is told, also if the signal was aborted and the time was over by then", async () => {
    const handle = execution(graph("one", { nodes: [] }), {}, { signal: AbortSignal.abort("later"), timeout: 0 });
    handle.cancel("first");
    handle.start();
    expect(expectCode(await rejection(handle.wait()), "PULSE_INTERRUPTED").cause).toBe("first");
  });

  test("CORE-28 two executions of one graph have two ids, which bodies see", async () => {
    const ids: string[] = [];
    const telling = graph("telling", {
      nodes: [node("tells", {}, (_values, context) => void ids.push(context.executionId))],
    });
    const [one, two] = [execution(telling, {}), execution(telling, {})];
    one.start();
    two.start();
    await Promise.all([one.wait(), two.wait()]);
    expect(ids).toEqual([one.id, two.id]);
    expect(one.id).not.toBe(two.id);
  });
});
