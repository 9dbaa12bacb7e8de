import { expect, test } from "vitest";
import { graph, mount, node } from "../index.ts";
import { boom, numbers, readAll, reading, started } from "../testing/confirmed-runs.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { expectCode, rejection } from "../testing/rejection.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import type { StreamHooksOfTest } from "../testing/stream-hooks.ts";

/** The same hooks, with the commits and failures of nodes among the lines. */
function withNodes(own: StreamHooksOfTest) {
  const lines: string[] = [];
  const { hooks } = own;
  const { streams } = hooks;
  if (streams === undefined) throw new Error("these hooks have streams");
  const told = {
    ...hooks,
    commit: (request: Parameters<typeof hooks.commit>[0]) => {
      lines.push(`commit ${request.path} ${request.outputs.map(({ state }) => state).join()}`);
      return hooks.commit(request);
    },
    streams: {
      ...streams,
      append: (request: Parameters<typeof streams.append>[0]) => {
        lines.push(`append ${String(request.message.value)}`);
        return streams.append(request);
      },
      finish: (request: Parameters<typeof streams.finish>[0]) => {
        lines.push(`finish ${request.path}`);
        return streams.finish(request);
      },
    },
  };
  return { ...own, hooks: told, lines };
}

test("STR-2 STR-4 STR-30 a send that still waits for room when the body returns is asked for before the node's commit, or fails the node", async () => {
  const seen = new Set<boolean>();
  for (let moment = 0; moment < 30; moment++) {
    const own = withNodes(streamHooksOfTest());
    const returned = deferred();
    let late: Promise<boolean> | undefined;
    const write = node("write", { provides: [numbers] }, async (_, { open }) => {
      const out = await open(numbers);
      for (const value of [1, 2]) await out.send(value);
      late = out.send(3);
      returned.resolve();
    });
    const read = reading(async (reader) => {
      const first = await reader.receive();
      await returned.promise;
      for (let left = moment; left > 0; left--) await Promise.resolve();
      await first?.ack();
      await readAll(reader);
    });
    const ended = await started([write, read], own)
      .wait()
      .catch((error: unknown) => error);
    const sent = await (late as unknown as Promise<boolean>).catch(() => false);
    const lines = own.lines.filter((line) => !line.startsWith("commit read"));
    const end = sent ? ["append 3", "commit write stream"] : ["finish write"];
    expect(lines).toEqual(["append 1", "append 2", ...end]);
    if (sent) expect(ended).toHaveProperty("values");
    else
      expect(expectCode(ended, "PULSE_EXECUTION_FAILED").cause).toMatchObject({
        code: "PULSE_USAGE",
        details: { rule: "STR-2", path: "write", key: "numbers" },
      });
    seen.add(sent);
  }
  expect(seen).toContain(false);
});

test("STR-4 STR-34 when the body has returned what it asked is answered before its end, and it asks nothing more", async () => {
  const own = withNodes(streamHooksOfTest());
  const held = own.hold("append");
  const got: number[] = [];
  let late: unknown;
  const write = node("write", { provides: [numbers] }, async (_, { open }) => {
    const out = await open(numbers);
    void out.send(1).then(async () => (late = await rejection(out.send(2))));
  });
  const read = reading(async (reader) => {
    for await (const value of reader.values()) got.push(value);
  });
  const running = started([write, read], own);
  await held.reached;
  await turn();
  held.release();
  await running.wait();
  expect(got).toEqual([1]);
  expect(own.lines.slice(0, 2)).toEqual(["append 1", "commit write stream"]);
  expectCode(late, "PULSE_USAGE");
});

test.each([false, true])(
  "STR-25 STR-38 an opening that a body in a mount has not waited for is answered before its node ends (fails: %s)",
  async (fails) => {
    const own = withNodes(streamHooksOfTest());
    const held = own.hold("open");
    const inner = graph("inner", {
      outputs: [numbers],
      nodes: [
        node("write", { provides: [numbers] }, async (_, { open }) => {
          void open(numbers);
          await Promise.resolve();
          if (fails) throw boom;
        }),
      ],
    });
    const running = started([mount("inner", inner), reading(readAll)], own);
    await held.reached;
    await turn();
    expect(await hasSettled(running.wait())).toBe(false);
    expect(own.lines).toEqual([]);
    held.release();
    await running.wait().catch(() => {});
    expect(own.lines[0]).toBe(fails ? "finish inner/write" : "commit inner/write stream");
  },
);
