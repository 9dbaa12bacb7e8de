import { expect, test } from "vitest";
import { execution, graph, key, mount, node, retry, run, timeout, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, thrownBy } from "../testing/rejection.ts";
import { onlyProblem } from "../testing/refused.ts";
import { stream } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 4, position: type<number>() });
const again = stream("again", type<number>("number"), { capacity: 4 });
const list = key("list", type<readonly number[]>());

const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
  const seen: number[] = [];
  for await (const value of reader.values()) seen.push(value);
  return { list: seen };
});
const plainWriter = node("write", { provides: [numbers] }, async (_values, { open }) => {
  await (await open(numbers)).send(1);
});

test("STR-32 the next try of a resumable writer goes on in the same stream, from its position; what was sent stands", async () => {
  const opened: (number | undefined)[] = [];
  const write = node(
    "write",
    { provides: [numbers], resumable: true, aspects: [retry({ limit: 3 })] },
    async (_values, { open, attempt }) => {
      const writer = await open(numbers);
      opened.push(writer.position());
      for (let next = (writer.position() ?? 0) + 1; next <= 9; next++) {
        await writer.sendAt(next, next * 10);
        if (attempt < 3 && next === attempt * 3) throw new Error("again");
      }
    },
  );
  const outcome = await run(graph("g", { outputs: [list], nodes: [write, read] }), {});
  expect(outcome.values.list).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(opened).toEqual([undefined, 3, 6]);
});

test("STR-32 STR-38 a stream opened in the first try is there in the second without being opened, and ends once", async () => {
  const write = node(
    "write",
    { provides: [numbers], resumable: true, aspects: [retry({ limit: 2 })] },
    async (_values, { open, attempt }) => {
      if (attempt === 2) return;
      await (await open(numbers)).send(7);
      throw new Error("again");
    },
  );
  const outcome = await run(graph("g", { outputs: [list], nodes: [write, read] }), {});
  expect(outcome.values.list).toEqual([7]);
});

test("STR-32 a send that a failed try left waiting is not accepted later", async () => {
  const write = node(
    "write",
    { provides: [numbers], resumable: true, aspects: [retry({ limit: 2 })] },
    async (_values, { open, attempt }) => {
      const writer = await open(numbers);
      if (attempt === 2) {
        await writer.send(99);
        return;
      }
      for (let next = 1; next <= 4; next++) await writer.send(next);
      void writer.send(5);
      throw new Error("again");
    },
  );
  const slow = node("slow", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    await turn();
    const seen: number[] = [];
    for await (const value of reader.values()) seen.push(value);
    return { list: seen };
  });
  const outcome = await run(graph("g", { outputs: [list], nodes: [write, slow] }), {});
  expect(outcome.values.list).toEqual([1, 2, 3, 4, 99]);
});

test("STR-32 a writer under a retry of its own must be resumable: a validation error", () => {
  const write = node("write", { provides: [numbers], aspects: [retry({ limit: 2 })] }, async () => {});
  const problem = onlyProblem({ nodes: [write, read] });
  expect(problem.code).toBe("PULSE_STREAM_RETRIED");
  expect(problem.message).toContain("resumable");
  expect(problem.ends).toEqual(["write", "numbers"]);
  expect(onlyProblem({ nodes: [plainWriter, read], aspects: [retry({ limit: 2 })] }).code).toBe("PULSE_STREAM_RETRIED");
});

test("STR-32 a retry with a limit of 1 is none, and a resumable writer may have any", () => {
  const write = node("write", { provides: [numbers], aspects: [retry({ limit: 1 }), timeout(10)] }, async () => {});
  graph("g", { nodes: [write, read] });
  const resumable = node(
    "write",
    { provides: [numbers], resumable: true, aspects: [retry({ limit: 5 })] },
    async () => {},
  );
  expect(graph("g", { nodes: [resumable, read] }).name).toBe("g");
});

test("STR-32 STR-33 a retry that the aspects of the execution bring is refused before the start", () => {
  const plain = graph("g", { outputs: [list], nodes: [plainWriter, read] });
  const aspects = [retry({ limit: 2 })];
  const error = expectCode(
    thrownBy(() => execution(plain, {}, { aspects })),
    "PULSE_INVALID",
  );
  expect(error.details.problems.map(({ code }) => code)).toEqual(["PULSE_STREAM_RETRIED"]);
  expect(error.message).toContain("by the aspects of the execution");
  const inner = graph("inner", {
    outputs: [numbers],
    nodes: [node("write", { provides: [numbers], resumable: true }, async () => {})],
  });
  const crossing = graph("g", { outputs: [list], nodes: [mount("inner", inner), read] });
  const across = expectCode(
    thrownBy(() => execution(crossing, {}, { aspects })),
    "PULSE_INVALID",
  );
  expect(across.details.problems.map(({ code, path }) => [code, path])).toEqual([["PULSE_STREAM_RETRIED", "g/inner"]]);
  execution(crossing, {}, { aspects: false });
  execution(crossing, {}, { aspects: [retry({ limit: 1 })] });
});

const inside = graph("inside", { outputs: [numbers], nodes: [plainWriter] });
const reads = graph("reads", { inputs: [numbers], outputs: [list], nodes: [read] });
const passes = graph("passes", { inputs: [numbers], outputs: [numbers], nodes: [] });

test("STR-33 a stream may not leave a retried mount: the error names stream, mount and both ends", () => {
  const problem = onlyProblem({ nodes: [mount("inner", inside, { aspects: [retry({ limit: 2 })] }), read] });
  expect(problem.code).toBe("PULSE_STREAM_RETRIED");
  expect(problem.path).toBe("order/inner");
  expect(problem.ends).toEqual(["inner/write", "inner", "read"]);
  for (const name of [`"numbers"`, `"inner"`, `"inner/write"`, `"read"`]) expect(problem.message).toContain(name);
});

test("STR-33 a stream may not enter a retried mount, nor pass through one", () => {
  const into = onlyProblem({ nodes: [plainWriter, mount("reads", reads, { aspects: [retry({ limit: 2 })] })] });
  expect(into.code).toBe("PULSE_STREAM_RETRIED");
  expect(into.ends).toEqual(["write", "reads", "reads/read"]);
  const through = [
    plainWriter,
    mount("passes", passes, { out: { numbers: again }, aspects: [retry({ limit: 2 })] }),
    node("read", { requires: [again] }, async () => {}),
  ];
  expect(thrownProblems({ nodes: through })).toEqual(["PULSE_STREAM_RETRIED", "PULSE_STREAM_RETRIED"]);
});

test("STR-33 a border deeper inside is found as well, and the aspects of the graph around a mount count", () => {
  const outer = graph("outer", { outputs: [numbers], nodes: [mount("inner", inside)] });
  const problem = onlyProblem({ nodes: [mount("outer", outer, { aspects: [retry({ limit: 2 })] }), read] });
  expect(problem.ends).toEqual(["outer/inner/write", "outer", "read"]);
  expect(thrownProblems({ nodes: [mount("inner", inside), read], aspects: [retry({ limit: 3 })] })).toEqual([
    "PULSE_STREAM_RETRIED",
  ]);
});

test("STR-33 STR-45 a stream wholly inside a retried mount is new with each try", async () => {
  let tries = 0;
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    tries++;
    await writer.send(tries * 10);
    if (tries === 1) {
      await turn();
      throw new Error("again");
    }
    await writer.send(tries * 10 + 1);
  });
  const whole = graph("whole", { outputs: [list], nodes: [write, read] });
  const outer = graph("outer", { outputs: [list], nodes: [mount("whole", whole, { aspects: [retry({ limit: 2 })] })] });
  expect((await run(outer, {})).values.list).toEqual([20, 21]);
});

test("STR-45 a body of an old try that still runs cannot touch the streams of the new one", async () => {
  let tries = 0;
  const second = deferred();
  const results: unknown[] = [];
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    const mine = ++tries;
    if (mine === 2) second.resolve();
    if (mine === 1) {
      // Ignores its signal, and goes on when the second try is at work.
      await second.promise;
      results.push(await writer.send(1).catch((error: Error) => error.message));
      return;
    }
    await turn();
    await writer.send(2);
    await turn();
  });
  const whole = graph("whole", { outputs: [list], nodes: [write, read] });
  const outer = graph("outer", {
    outputs: [list],
    nodes: [mount("whole", whole, { aspects: [retry({ limit: 2 }), timeout(5)] })],
  });
  const host = fakeHost();
  const handle = execution(outer, {}, { host });
  handle.start();
  await host.advance(5);
  expect((await handle.wait()).values.list).toEqual([2]);
  expect(results).toEqual([`node "whole/write" was interrupted`]);
});

function thrownProblems(spec: { nodes: unknown; aspects?: unknown }): readonly string[] {
  return expectCode(
    thrownBy(() => graph("order", spec as never)),
    "PULSE_INVALID",
  ).details.problems.map(({ code }) => code);
}
