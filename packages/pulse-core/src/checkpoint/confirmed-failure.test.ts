import { expect, test } from "vitest";
import { aspect, graph, mount, node, retry, timeout } from "../index.ts";
import { notStarted } from "../checkpoint/index.ts";
import { checkpointed, runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, deferred, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";

const a = numberKey("a");
const bad = new Error("bad");

test("CKPT-34 the failure that sets off fail-fast is admitted in the same step, before any signal is aborted", async () => {
  const hooks = recordingHooks();
  let sibling: AbortSignal | undefined;
  let abortedAtCall: boolean | undefined;
  const gate = deferred();
  const siblings = graph("siblings", {
    nodes: [
      node("listens", {}, async (_values, { signal }) => {
        sibling = signal;
        await aborted(signal).catch(() => {});
      }),
      node("fails", {}, async () => {
        await gate.promise;
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(
    siblings,
    {},
    {
      ...hooks,
      failAttempt: (id, call) => {
        abortedAtCall = sibling?.aborted;
        // Nothing between the admission and the abort may be put off: the next microtask sees it.
        queueMicrotask(() => void (afterwards = sibling?.aborted));
        return hooks.failAttempt(id, call);
      },
    },
  );
  let afterwards: boolean | undefined;
  await turn();
  gate.resolve();
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(bad);
  expect([abortedAtCall, afterwards]).toEqual([false, true]);
  expect(hooks.callsOf("failAttempt")).toEqual(["root/fails"]);
});

test("CKPT-34 CORE-11 a second failure that comes after the abort is not confirmed; it is kept beside the first", async () => {
  const hooks = recordingHooks();
  const second = new Error("second");
  const gate = deferred();
  const confirming = hooks.hold("failAttempt", "root/first");
  const siblings = graph("siblings", {
    nodes: [
      node("first", {}, () => {
        throw bad;
      }),
      node("second", {}, async () => {
        await gate.promise;
        throw second;
      }),
    ],
  });
  const running = runCheckpointed(siblings, {}, hooks);
  await confirming.reached;
  gate.resolve();
  await turn();
  confirming.release();
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(bad);
  expect(error.details.others).toEqual([second]);
  expect([...hooks.record.failed]).toEqual(["root/first"]);
});

test("CKPT-34 CKPT-16 a try that fails for real after the abort is not confirmed and gets no next try", async () => {
  const hooks = recordingHooks();
  let tries = 0;
  const siblings = graph("siblings", {
    nodes: [
      node("tried", { aspects: [retry({ limit: 5 })] }, async (_values, { signal }) => {
        tries++;
        await aborted(signal).catch(() => {});
        throw new Error("real");
      }),
      node("fails", {}, async () => {
        await turn();
        throw bad;
      }),
    ],
  });
  await rejectionOf(runCheckpointed(siblings, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect([tries, hooks.callsOf("failAttempt")]).toEqual([1, ["root/fails"]]);
});

test("CKPT-34 two failures in one turn: the first is confirmed, the second is not", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const siblings = graph("siblings", {
    nodes: ["one", "two"].map((id) =>
      node(id, {}, async () => {
        await gate.promise;
        throw new Error(id);
      }),
    ),
  });
  const running = runCheckpointed(siblings, {}, hooks);
  await turn();
  gate.resolve();
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect([(error.cause as Error).message, error.details.others.map(String)]).toEqual(["one", ["Error: two"]]);
  expect([...hooks.record.failed]).toEqual(["root/one"]);
});

test("CKPT-34 the confirmation is covered by the execution's signals alone: fail-fast leaves it, a host's cancel aborts it", async () => {
  const hooks = recordingHooks();
  const confirming = hooks.hold("failAttempt", "root/fails");
  const one = graph("one", {
    nodes: [
      node("fails", {}, () => {
        throw bad;
      }),
    ],
  });
  const running = checkpointed(one, {}, hooks);
  running.start();
  const { signal } = await confirming.reached;
  await turn();
  expect(signal.aborted).toBe(false);
  const enough = new Error("enough");
  running.cancel(enough);
  expect([signal.aborted, signal.reason]).toEqual([true, enough]);
  confirming.release();
  // It was confirmed after all: a verdict that is reached stays.
  expect((await rejectionOf(running.wait(), "PULSE_EXECUTION_FAILED")).cause).toBe(bad);
  expect([...hooks.record.failed]).toEqual(["root/fails"]);
});

test("CKPT-34 CKPT-11 CKPT-14 a confirmation that the host's cancel kept from starting leaves the attempt active", async () => {
  const hooks = recordingHooks();
  const confirming = hooks.hold("failAttempt", "root/fails");
  const one = graph("one", {
    nodes: [
      node("fails", {}, () => {
        throw bad;
      }),
    ],
  });
  const running = checkpointed(one, {}, hooks);
  running.start();
  await confirming.reached;
  const enough = new Error("enough");
  running.cancel(enough);
  confirming.fail(notStarted("fails"));
  const error = await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  expect(error.cause).toBe(enough);
  expect(error.details.others).toEqual([bad]);
  expect(hooks.record.failed.size).toBe(0);
});

test("CKPT-34 a timeout around a retry does not cover the confirmation of its tries", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const confirming = hooks.hold("failAttempt", "root/n@1#1");
  let tries = 0;
  const one = graph("one", {
    nodes: [
      node("n", { aspects: [timeout(100), retry({ limit: 3 })] }, () => {
        tries++;
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  const { signal } = await confirming.reached;
  await host.advance(100);
  expect(signal.aborted).toBe(false);
  confirming.release();
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toMatchObject({ code: "PULSE_TIMEOUT" });
  expect(tries).toBe(1);
  expect([...hooks.record.failed].toSorted()).toEqual(["root/n", "root/n@1#1"]);
});

test("CKPT-34 CKPT-9 in a mount: a failure outside does not abort the confirmation of one inside", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const inner = new Error("inner");
  const child = graph("child", {
    nodes: [
      node("fails", {}, () => {
        throw inner;
      }),
    ],
  });
  const outer = graph("outer", {
    nodes: [
      mount("m", child),
      node("bad", {}, async () => {
        await gate.promise;
        throw bad;
      }),
    ],
  });
  const confirming = hooks.hold("failAttempt", "root/m/fails");
  const running = runCheckpointed(outer, {}, hooks);
  const { signal } = await confirming.reached;
  gate.resolve();
  await turn();
  expect([...hooks.record.failed]).toEqual(["root/bad"]);
  expect(signal.aborted).toBe(false);
  confirming.release();
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(bad);
  expect(error.details.others).toEqual([inner]);
  // The mount's own failure came after the abort: its attempt is active.
  expect([...hooks.record.failed]).toEqual(["root/bad", "root/m/fails"]);
});

test("CKPT-11 CKPT-34 in a mount: a confirmation that did not start because the parent failed is an interruption", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const inner = new Error("inner");
  const child = graph("child", {
    nodes: [
      node("fails", {}, () => {
        throw inner;
      }),
    ],
  });
  const outer = graph("outer", {
    nodes: [
      mount("m", child),
      node("bad", {}, async () => {
        await gate.promise;
        throw bad;
      }),
    ],
  });
  const confirming = hooks.hold("failAttempt", "root/m/fails");
  const running = runCheckpointed(outer, {}, hooks);
  await confirming.reached;
  gate.resolve();
  await turn();
  confirming.fail(notStarted("m/fails"));
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(bad);
  expect(error.details.others).toEqual([inner]);
  expect([...hooks.record.failed]).toEqual(["root/bad"]);
});

test("CORE-11 a business failure that comes after a reliable failure is kept beside it", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const down = new Error("down");
  hooks.fail("commit", "root/saved", down);
  const siblings = graph("siblings", {
    outputs: [a],
    nodes: [
      node("saved", { provides: [a] }, () => ({ a: 1 })),
      node("fails", {}, async () => {
        await gate.promise;
        throw bad;
      }),
      node("listens", {}, async (_values, { signal }) => aborted(signal)),
    ],
  });
  const running = runCheckpointed(siblings, {}, hooks);
  await turn();
  gate.resolve();
  const error = await rejectionOf(running, "PULSE_CHECKPOINT");
  expect(error.cause).toBe(down);
  expect(error.details.others).toEqual([bad]);
  expect(hooks.record.failed.size).toBe(0);
});

test("CKPT-34 CKPT-20 a chain confirms the failed tries from the inside out, its root attempt last", async () => {
  const hooks = recordingHooks();
  const passing = aspect("passing", (_context, next) => next());
  const one = graph("one", {
    nodes: [
      node("n", { aspects: [retry({ limit: 2 }), passing, retry({ limit: 2 })] }, () => {
        throw bad;
      }),
    ],
  });
  await rejectionOf(runCheckpointed(one, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect(hooks.callsOf("failAttempt")).toEqual([
    "root/n@0#1@2#1",
    "root/n@0#1@2#2",
    "root/n@0#1",
    "root/n@0#2@2#1",
    "root/n@0#2@2#2",
    "root/n@0#2",
    "root/n",
  ]);
});
