import { expect, test } from "vitest";
import { graph, mount, node, run } from "../index.ts";
import { deferred } from "../testing/deferred.ts";
import { rejectionOf } from "../testing/rejection.ts";

/** More than a call takes arguments. */
const size = 150_000;

test("CORE-11 CORE-35 of 150,000 bodies of a mount that fail none is lost", async () => {
  const gate = deferred();
  const body = async (): Promise<void> => {
    await gate.promise;
    throw new Error("no");
  };
  const nodes = Array.from({ length: size }, (_value, index) => node(`n${index}`, {}, body));
  const inner = graph("inner", { nodes });
  const running = rejectionOf(
    run(graph("outer", { nodes: [mount("inner", inner, {})] }), {}),
    "PULSE_EXECUTION_FAILED",
  );
  gate.resolve();
  const { details } = await running;
  expect([details.path, details.others.length]).toEqual(["inner/n0", size - 1]);
});
