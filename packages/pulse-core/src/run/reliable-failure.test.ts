import { describe, expect, test } from "vitest";
import { checkpoint } from "../checkpoint/index.ts";
import { aspect, execution, graph, mount, node, retry, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { aborted, deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { memoryHooks } from "../testing/memory-hooks.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const after = numberKey("after");
const failure = new Error("business");
const broken = new Error("store");
const breaking = () => Promise.reject(broken);

describe.each(bothWays)("$how", ({ as }) => {
  const failing = (aspects: readonly ReturnType<typeof aspect>[] = []) =>
    node("fails", { aspects }, () =>
      as(() => {
        throw failure;
      }),
    );

  test("CORE-45 siblings are stopped in the turn of the first failure, without waiting for its failAttempt", async () => {
    const confirmed = deferred();
    const log = eventLog();
    const reasons: unknown[] = [];
    const start = deferred();
    const hooks = memoryHooks({ failAttempt: () => confirmed.promise });
    const stopping = graph("stopping", {
      nodes: [
        node("runs", {}, async (_values, { signal }) => {
          await aborted(signal).catch((reason: unknown) => reasons.push(reason));
        }),
        node("opens", { provides: [made] }, async () => (await start.promise, { made: 1 })),
        node("never", { provides: [after] }, async (_values, { signal }) => (await aborted(signal), { after: 1 })),
        node("waits", { requires: [after] }, () => {}),
        node("fails", { requires: [made] }, () =>
          as(() => {
            throw failure;
          }),
        ),
      ],
    });
    const running = run(
      stopping,
      {},
      { checkpoint: checkpoint({ scope: "root", hooks }), observers: [log.observer], host: fakeHost() },
    );
    const ended = rejectionOf(running, "PULSE_EXECUTION_FAILED");
    start.resolve();
    await turn();
    expect(hooks.calls).toContain("failAttempt root/fails#1");
    expect(reasons.map((reason) => expectCode(reason, "PULSE_EXECUTION_FAILED").cause)).toEqual([failure]);
    expect(log.reasonOf("waits")).toBe("canceled");
    expect(await hasSettled(ended)).toBe(false);
    confirmed.resolve();
    expect((await ended).cause).toBe(failure);
  });

  test("CORE-45 the execution ends after failAttempt has settled", async () => {
    const confirmed = deferred();
    const hooks = memoryHooks({ failAttempt: () => confirmed.promise });
    const running = run(
      graph("one", { nodes: [failing()] }),
      {},
      { checkpoint: checkpoint({ scope: "root", hooks }), host: fakeHost() },
    );
    const ended = rejectionOf(running, "PULSE_EXECUTION_FAILED");
    expect(await hasSettled(ended)).toBe(false);
    confirmed.resolve();
    expect((await ended).cause).toBe(failure);
  });

  test("CORE-45 CORE-43 if failAttempt fails, the result is its failure with the business failure beside it", async () => {
    const hooks = memoryHooks({ failAttempt: breaking });
    const running = run(graph("one", { nodes: [failing()] }), {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
    const error = await rejectionOf(running, "PULSE_CHECKPOINT");
    expect(error.cause).toBe(broken);
    expect(error.details.hook).toBe("failAttempt");
    expect(error.details.others).toEqual([failure]);
  });

  test("CORE-16 CORE-43 a retry makes no try after a reliable failure", async () => {
    const hooks = memoryHooks({ failAttempt: breaking });
    const tries: number[] = [];
    const trying = graph("trying", {
      nodes: [
        node("n", { aspects: [retry({ limit: 5 })] }, (_values, { attempt }) =>
          as(() => {
            tries.push(attempt);
            throw failure;
          }),
        ),
      ],
    });
    const error = await rejectionOf(
      run(trying, {}, { checkpoint: checkpoint({ scope: "root", hooks }) }),
      "PULSE_CHECKPOINT",
    );
    expect(error.cause).toBe(broken);
    expect(tries).toEqual([1]);
  });

  test("CORE-43 a commit that fails stops the run, and no aspect or catch makes a success of it", async () => {
    const hooks = memoryHooks({ commit: breaking });
    const started: string[] = [];
    const catching = aspect("catching", async (_context, next) => {
      await next().catch(() => {});
    });
    const inner = graph("inner", {
      outputs: [made],
      nodes: [node("make", { provides: [made] }, () => as(() => ({ made: 1 })))],
    });
    const outer = graph("outer", {
      nodes: [
        mount("child", inner, { aspects: [catching, retry({ limit: 3 })] }),
        node("after", { requires: [made] }, () => as(() => void started.push("after"))),
      ],
    });
    const error = await rejectionOf(
      run(outer, {}, { checkpoint: checkpoint({ scope: "root", hooks }) }),
      "PULSE_CHECKPOINT",
    );
    expect(error.cause).toBe(broken);
    expect([started, hooks.calls.filter((call) => call.startsWith("commit"))]).toEqual([[], ["commit child/make"]]);
  });

  test("CORE-42 with checkpoints too, a no-value signal after a write is an error that names the keys", async () => {
    const hooks = memoryHooks();
    const writing = graph("writing", {
      outputs: [made],
      nodes: [
        node("n", { provides: [made] }, (_values, context) =>
          as(() => {
            context.set(made, 1);
            return context.skip();
          }),
        ),
      ],
    });
    const failed = await rejectionOf(
      run(writing, {}, { checkpoint: checkpoint({ scope: "root", hooks }) }),
      "PULSE_EXECUTION_FAILED",
    );
    expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain('"made"');
    expect(hooks.calls).toEqual(["openAttempt n", "failAttempt root/n#1"]);
  });

  test("CORE-14 checkpoints are no aspect: switched-off aspects leave them on, down to the children", async () => {
    const hooks = memoryHooks();
    const inner = graph("inner", {
      outputs: [made],
      nodes: [node("make", { provides: [made], aspects: [retry({ limit: 2 })] }, () => as(() => ({ made: 1 })))],
    });
    const outer = graph("outer", {
      outputs: [made],
      nodes: [mount("child", inner, { aspects: [retry({ limit: 2 })] })],
    });
    const outcome = await run(outer, {}, { aspects: false, checkpoint: checkpoint({ scope: "root", hooks }) });
    expect(outcome.values.made).toBe(1);
    expect(hooks.calls).toEqual([
      "openAttempt child",
      "openChild child",
      "openAttempt child/make",
      "commit child/make",
      "commit child",
    ]);
  });

  test("CORE-10 CORE-17 checkpoints hold writes back until the node is confirmed", async () => {
    const confirmed = deferred();
    const plain = memoryHooks();
    const hooks = memoryHooks({ commit: async (request) => (await confirmed.promise, plain.commit(request)) });
    const log = eventLog();
    const chain = graph("chain", {
      outputs: [after],
      nodes: [
        node("make", { provides: [made] }, (_values, context) => as(() => ({ made: context.set(made, 1) }))),
        node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
      ],
    });
    const running = run(chain, {}, { checkpoint: checkpoint({ scope: "root", hooks }), observers: [log.observer] });
    await turn();
    expect(log.lines("use")).toEqual(["node-waiting use"]);
    confirmed.resolve();
    expect((await running).values.after).toBe(2);
  });
});

test("CORE-43 CORE-30 an interruption with checkpoints fails nothing: no attempt is confirmed failed", async () => {
  const hooks = memoryHooks();
  const listening = graph("listening", {
    nodes: [node("n", { aspects: [retry({ limit: 3 })] }, async (_values, { signal }) => aborted(signal))],
  });
  const handle = execution(listening, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
  handle.start();
  await turn();
  handle.cancel("enough");
  expect((await rejectionOf(handle.wait(), "PULSE_INTERRUPTED")).cause).toBe("enough");
  expect(hooks.calls).toEqual(["openAttempt n", "openAttempt n@0"]);
});
