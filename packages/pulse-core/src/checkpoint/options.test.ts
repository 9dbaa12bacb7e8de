import { expect, test } from "vitest";
import { execution, graph, node } from "../index.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, thrownBy } from "../testing/rejection.ts";
import { checkpoint } from "./index.ts";
import type { CheckpointOptions } from "./index.ts";

const a = numberKey("a");
let bodies = 0;
const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a] }, () => (bodies++, { a: 1 }))] });

/** The problems of options, which a caller without types may give. */
function problemsOf(options: unknown): readonly string[] {
  const error = expectCode(
    thrownBy(() => execution(one, {}, { checkpoint: checkpoint(options as CheckpointOptions) })),
    "PULSE_INVALID",
  );
  for (const problem of error.details.problems) expect(problem.code).toBe("PULSE_OPTION_INVALID");
  return error.details.problems.map(({ message }) => message);
}

test.each(["openAttempt", "failAttempt", "openChild", "commit"])(
  "CKPT-8 the plain hook %s is required, and nothing starts without it",
  (hook) => {
    for (const wrong of [undefined, "a string"]) {
      const problems = problemsOf({ scope: "root", hooks: { ...recordingHooks(), [hook]: wrong } });
      expect(problems.length).toBe(1);
      expect(problems[0]).toContain(hook);
    }
    expect(bodies).toBe(0);
  },
);

test.each(["", undefined, 1, null])("CKPT-8 a root scope of %o is refused", (scope) => {
  const problems = problemsOf({ scope, hooks: recordingHooks() });
  expect(problems.length).toBe(1);
  expect(problems[0]).toContain("scope");
});

test("CKPT-8 all problems of the options are told at once", () => {
  expect(problemsOf({ scope: "", hooks: {} }).length).toBe(5);
  expect(problemsOf({ scope: "root", hooks: undefined }).length).toBe(4);
});

const streamHooks = ["open", "append", "openMessage", "failMessage", "commit", "finish"];
const allSix = Object.fromEntries(streamHooks.map((name) => [name, () => Promise.resolve()]));

test.each(streamHooks)("CKPT-8 stream hooks are all six or none: without %s they are refused", (missing) => {
  const problems = problemsOf({
    scope: "root",
    hooks: { ...recordingHooks(), streams: { ...allSix, [missing]: undefined } },
  });
  expect(problems.length).toBe(1);
  expect(problems[0]).toContain(missing);
});

test("CKPT-8 no stream hook is refused as well when the part is given", () => {
  expect(problemsOf({ scope: "root", hooks: { ...recordingHooks(), streams: {} } }).length).toBe(6);
});

test("CKPT-8 all six stream hooks are accepted, and a graph of plain keys needs none", async () => {
  for (const streams of [{ streams: allSix as never }, {}]) {
    const running = execution(
      one,
      {},
      { checkpoint: checkpoint({ scope: "root", hooks: { ...recordingHooks(), ...streams } }) },
    );
    running.start();
    expect((await running.wait()).values.a).toBe(1);
  }
});

test("CKPT-31 hooks may be methods of an object: they are called as such", async () => {
  class Hooks {
    readonly inner = recordingHooks();
    openAttempt: CheckpointOptions["hooks"]["openAttempt"] = (request) => this.inner.openAttempt(request);
    failAttempt(...call: Parameters<CheckpointOptions["hooks"]["failAttempt"]>) {
      return this.inner.failAttempt(...call);
    }
    openChild(...call: Parameters<CheckpointOptions["hooks"]["openChild"]>) {
      return this.inner.openChild(...call);
    }
    prepare(...call: Parameters<NonNullable<CheckpointOptions["hooks"]["prepare"]>>) {
      return this.inner.prepare?.(...call);
    }
    commit(...call: Parameters<CheckpointOptions["hooks"]["commit"]>) {
      return this.inner.commit(...call);
    }
  }
  const hooks = new Hooks();
  const running = execution(one, {}, { checkpoint: checkpoint({ scope: "root", hooks }) });
  running.start();
  await running.wait();
  expect(hooks.inner.record.lines).toEqual(["root/n completed a=1"]);
});

test("CKPT-31 CORE-24 one checkpoint option serves many executions, each with its own state", async () => {
  const hooks = recordingHooks();
  const option = checkpoint({ scope: "root", hooks });
  hooks.fail("commit", "root/n", new Error("down"));
  const failing = execution(one, {}, { checkpoint: option });
  failing.start();
  expectCode(await failing.wait().catch((error: unknown) => error), "PULSE_CHECKPOINT");
  const healthy = execution(one, {}, { checkpoint: option });
  healthy.start();
  expect((await healthy.wait()).values.a).toBe(1);
});

test("CKPT-31 the run's id and idempotency keys are what the options give", async () => {
  const seen: unknown[] = [];
  const asking = graph("asking", {
    nodes: [node("n", {}, (_values, { runId, idempotencyKey }) => void seen.push(runId, idempotencyKey))],
  });
  const hooks = recordingHooks();
  const given = {
    scope: "root",
    hooks,
    runId: "run-7",
    idempotencyKey: (scope: string, nodeId: string) => `${scope}!${nodeId}`,
  };
  for (const options of [given, { scope: "other", hooks, runId: "run-7" }]) {
    const running = execution(asking, {}, { checkpoint: checkpoint(options) });
    running.start();
    await running.wait();
  }
  expect(seen).toEqual(["run-7", "root!n", "run-7", "run-7/n"]);
});
