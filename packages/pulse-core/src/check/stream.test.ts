import { expect, test } from "vitest";
import { execution, graph, key, mount, node, problemsOf, run, type } from "../index.ts";
import { optional } from "../key.ts";
import { reading, stream } from "../streams/index.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 2 });
const other = stream("other", type<number>("number"), { capacity: 2 });
const plain = key("plain", type<unknown>("unknown"));
const further = key("further", type<unknown>("unknown"));

const write = node("write", { provides: [numbers, plain] }, async () => ({ plain: 1 }));
const read = node("read", { requires: [numbers] }, ({ numbers: reader }) => reader.stop());

test("STR-41 a node that requires a stream and a plain key of its writer is a validation error", () => {
  const both = node("both", { requires: [numbers, plain] }, async () => {});
  const problem = onlyProblem({ nodes: [write, both] });
  expect(problem.code).toBe("PULSE_STREAM_DEADLOCK");
  expect(problem.ends).toEqual(["write", "both"]);
  expect(problem.message).toContain(`over key "plain"`);
});

test("STR-41 also over other nodes, over the start of another stream's writer, and optional", () => {
  const between = node("between", { requires: [plain], provides: [further] }, () => ({ further: 1 }));
  const over = node("over", { requires: [numbers, further] }, async () => {});
  expect(onlyProblem({ nodes: [write, between, over] }).message).toContain(`over key "further"`);
  const starts = node("starts", { requires: [plain], provides: [other] }, async () => {});
  const overStream = node("over", { requires: [reading(numbers, { group: "g" }), other] }, async () => {});
  expect(onlyProblem({ nodes: [write, starts, overStream] }).code).toBe("PULSE_STREAM_DEADLOCK");
  const may = node("may", { requires: [numbers, optional(plain)] }, async () => {});
  expect(onlyProblem({ nodes: [write, may] }).code).toBe("PULSE_STREAM_DEADLOCK");
});

test("STR-41 through mounts: a mount's plain outputs are there when all of it has ended", () => {
  const writes = graph("writes", { outputs: [numbers, plain], nodes: [write] });
  const both = node("both", { requires: [numbers, plain] }, async () => {});
  expect(onlyProblem({ nodes: [mount("writes", writes), both] }).ends).toEqual(["writes/write", "both"]);
  const late = node("late", { provides: [further] }, () => ({ further: 1 }));
  const apart = graph("apart", {
    outputs: [numbers, further],
    nodes: [node("write", { provides: [numbers] }, async () => {}), late],
  });
  const crossing = node("crossing", { requires: [numbers, further] }, async () => {});
  expect(onlyProblem({ nodes: [mount("apart", apart), crossing] }).code).toBe("PULSE_STREAM_DEADLOCK");
  const reads = graph("reads", { inputs: [numbers, plain], nodes: [both] });
  expect(onlyProblem({ nodes: [write, mount("reads", reads)] }).ends).toEqual(["write", "reads/both"]);
});

test("STR-41 what only reads beside, or waits for another reader of the stream, is none", () => {
  const counts = node("counts", { requires: [numbers], provides: [further] }, async ({ numbers: reader }) => {
    await reader.stop();
    return { further: 1 };
  });
  const after = node("after", { requires: [plain, further] }, () => {});
  const separate = graph("separate", {
    inputs: [numbers, plain],
    nodes: [read, node("uses", { requires: [plain] }, () => {})],
  });
  const sound = graph("g", { nodes: [write, counts, after, mount("separate", separate)] });
  expect(problemsOf(sound)).toEqual([]);
});

test("STR-14 a stream is passed by stream keys alone: mounts may not join one to a plain key", () => {
  const takes = graph("takes", { inputs: [plain], nodes: [] });
  const reads = graph("reads", { inputs: [numbers], nodes: [read] });
  const gives = graph("gives", { outputs: [numbers], nodes: [node("w", { provides: [numbers] }, async () => {})] });
  const makes = node("makes", { provides: [further] }, () => ({ further: 1 }));
  const cases: unknown[][] = [
    [write, read, mount("m", takes, { in: { plain: numbers } } as never)],
    [makes, mount("m", reads, { in: { numbers: further } } as never)],
    [mount("m", gives, { out: { numbers: further } } as never)],
    [mount("m", reads, { fix: { numbers: [] } } as never)],
  ];
  for (const nodes of cases) {
    const codes = refusedFor({ nodes }).map(({ code }) => code);
    expect(codes[0]).toBe("PULSE_STREAM_HIDDEN");
  }
});

test.each<readonly [string, (live: object) => unknown]>([
  ["itself", (live) => live],
  ["an array", (live) => [1, [live]]],
  ["an object", (live) => ({ a: { b: live } })],
  ["a map", (live) => new Map([["k", live]])],
  ["a map's key", (live) => new Map([[live, 1]])],
  ["a set", (live) => new Set([live])],
  ["a ring", (live) => ring(live)],
  ["an object without prototype", (live) => Object.assign(Object.create(null) as object, { live })],
])("STR-14 a stream hidden in a value is refused: %s", async (_name, hide) => {
  const writes = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    await writer.send(1);
  });
  const hides = node("hides", { requires: [numbers], provides: [plain] }, async ({ numbers: reader }) => {
    const delivery = await reader.receive();
    await reader.stop();
    return { plain: hide(turnOf === 0 ? reader : (delivery as object)) };
  });
  for (turnOf of [0, 1]) {
    const failed = await rejectionOf(
      run(graph("g", { outputs: [plain], nodes: [writes, hides] }), {}),
      "PULSE_EXECUTION_FAILED",
    );
    expect(expectCode(failed.cause, "PULSE_USAGE").details).toMatchObject({ rule: "STR-14", key: "plain" });
  }
});
let turnOf = 0;

test("STR-14 a stream hidden in a message, in a handler's value or in an input is refused as well", async () => {
  const hiding = stream("hiding", type<unknown>(), { capacity: 2 });
  const writes = node("write", { provides: [hiding] }, async (_values, { open }) => {
    const writer = await open(hiding);
    await writer.send({ deep: [writer] });
  });
  const reads = node("read", { requires: [hiding] }, ({ hiding: reader }) => reader.stop());
  const failed = await rejectionOf(run(graph("g", { nodes: [writes, reads] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain("at .deep[0]");

  const feed = execution(graph("feed", { outputs: [hiding], nodes: [writes] }), {});
  const reader = feed.subscribe(hiding);
  const error = expectCode(
    thrownBy(() => execution(withStream, { plain: { reader } })),
    "PULSE_INVALID",
  );
  expect(error.details.problems[0]?.code).toBe("PULSE_STREAM_HIDDEN");
});
const unopened = node("write", { provides: [numbers] }, async () => {});
const withStream = graph("withStream", { inputs: [plain], nodes: [unopened, read] });

test("STR-14 rings and big values without a stream pass, and nothing of them is called", async () => {
  const value = {
    get trap(): never {
      throw new Error("called");
    },
    bytes: new Uint8Array(1_000_000),
  };
  const writes = node("write", { provides: [numbers, plain] }, async () => ({ plain: ring(value) }));
  await run(graph("g", { nodes: [writes, read] }), {});
  const odd = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("called");
      },
    },
  );
  const proxied = node("write", { provides: [numbers, plain] }, async () => ({ plain: [odd] }));
  expect((await run(graph("g", { outputs: [plain], nodes: [proxied, read] }), {})).values.plain).toEqual([odd]);
});

function ring(live: object): object {
  const round: Record<string, unknown> = {};
  round["self"] = round;
  round["list"] = [round, { live }];
  return round;
}
