import { expect, test } from "vitest";
import { graph, mount, node } from "../index.ts";
import { runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";

const a = numberKey("a");
const b = numberKey("b");
const bad = new Error("bad");

test("CORE-45 CKPT-34 siblings stop in the turn of the first failure; the execution ends after its failAttempt has settled", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const confirming = hooks.hold("failAttempt", "root/fails");
  const siblings = graph("siblings", {
    outputs: [b],
    nodes: [
      node("runs", { provides: [a] }, async (_values, { signal }) => {
        await aborted(signal);
        return { a: 1 };
      }),
      node("waits", { requires: [a], provides: [b] }, (values) => ({ b: values.a })),
      node("fails", {}, () => {
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(siblings, {}, hooks, { observers: [log.observer] });
  await confirming.reached;
  await turn();
  expect(["fails", "runs", "waits"].map(log.reasonOf)).toEqual(["failed", "canceled", "canceled"]);
  expect(await hasSettled(running)).toBe(false);
  expect(log.lines("")).not.toContain("execution-finished");
  confirming.release();
  await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(log.lines("").at(-1)).toBe("execution-finished");
});

test("CORE-45 CORE-30 CKPT-17 a failAttempt that never settles ends the run at the drain time as unconfirmed, naming its node", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const confirming = hooks.hold("failAttempt", "root/fails");
  const one = graph("one", {
    nodes: [
      node("fails", {}, () => {
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  await confirming.reached;
  await host.advance(9_999);
  expect(await hasSettled(running)).toBe(false);
  await host.advance(1);
  const { details } = await rejectionOf(running, "PULSE_CHECKPOINT");
  expect([details.hook, details.others, details.abandoned]).toEqual(["failAttempt", [bad], ["fails"]]);
});

test("CORE-45 CORE-43 a failAttempt that fails: its error is the cause, with the business failure beside it", async () => {
  for (const how of ["rejects", "throws"] as const) {
    const hooks = recordingHooks();
    const down = new Error("down");
    const one = graph("one", {
      nodes: [
        node("fails", {}, () => {
          throw bad;
        }),
      ],
    });
    const error = await rejectionOf(
      runCheckpointed(
        one,
        {},
        {
          ...hooks,
          failAttempt: () => {
            if (how === "throws") throw down;
            return Promise.reject(down);
          },
        },
      ),
      "PULSE_CHECKPOINT",
    );
    expect(error.cause).toBe(down);
    expect(error.details).toMatchObject({ hook: "failAttempt", others: [bad] });
  }
});

test("CORE-45 CORE-43 a failAttempt that fails inside a mount keeps the business failure beside it too", async () => {
  for (const how of ["rejects", "throws"] as const) {
    const hooks = recordingHooks();
    const down = new Error("down");
    const child = graph("child", {
      nodes: [
        node("fails", {}, () => {
          throw bad;
        }),
      ],
    });
    const outer = graph("outer", { nodes: [mount("m", child)] });
    const error = await rejectionOf(
      runCheckpointed(
        outer,
        {},
        {
          ...hooks,
          failAttempt: () => {
            if (how === "throws") throw down;
            return Promise.reject(down);
          },
        },
      ),
      "PULSE_CHECKPOINT",
    );
    expect(error.cause).toBe(down);
    expect(error.details.others).toEqual([bad]);
  }
});
