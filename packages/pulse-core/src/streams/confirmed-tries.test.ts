import { expect, test } from "vitest";
import { node, retry, type } from "../index.ts";
import { boom, numbers, started, total, writing } from "../testing/confirmed-runs.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { handleMessages } from "./index.ts";

test("STR-39 STR-46 the next try begins when what the failed one has asked is answered: no state is lost", async () => {
  const own = streamHooksOfTest();
  const held = own.hold("commit");
  const failNow = deferred();
  const count = node(
    "count",
    { requires: [numbers], provides: [total], aspects: [retry({ limit: 2 })] },
    async ({ numbers: reader }, { attempt }) => {
      const handling = handleMessages(
        reader,
        ({ value }, message) => {
          const sum = (message.state.get() ?? 0) + value;
          message.state.set(sum);
          if (value === 3) message.set(total, sum);
        },
        { state: type<number>("sum") },
      );
      if (attempt > 1) return { total: await handling };
      void handling.catch(() => {});
      await failNow.promise;
      throw boom;
    },
  );
  const running = started([writing(1, 2, 3), count], own);
  await held.reached;
  failNow.resolve();
  await turn();
  await turn();
  held.release();
  const { values } = await running.wait();
  expect(values).toEqual({ total: 6 });
});
