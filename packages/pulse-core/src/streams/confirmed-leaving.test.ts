import { expect, test } from "vitest";
import { aspect, graph, mount, node } from "../index.ts";
import { boom, numbers, readAll, reading, started, writing } from "../testing/confirmed-runs.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { reading as readingAs } from "./index.ts";

/** Hooks that hold the commits of nodes named `held…` back, and note which groups leave with which. */
function leaving() {
  const own = streamHooksOfTest();
  const stops: string[] = [];
  const gate = deferred();
  const { hooks } = own;
  const held = {
    ...hooks,
    commit: async (request: Parameters<typeof hooks.commit>[0]) => {
      for (const { group } of request.stops ?? []) stops.push(`${request.path} ${group}`);
      if (request.path.startsWith("held")) await gate.promise;
      return hooks.commit(request);
    },
  };
  return { own: { ...own, hooks: held }, stops, release: () => gate.resolve() };
}

const answered = aspect("answered", async () => {});
/** A mount whose child reads the numbers. */
const readingMount = (id: string, body: () => Promise<void>, around: typeof answered) =>
  mount(id, graph("inner", { inputs: [numbers], nodes: [reading(body)] }), { aspects: [around] });

test("STR-44 STR-5 readers of one group that end at the same moment are confirmed one after the other, and the last one stops it", async () => {
  const { own, stops, release } = leaving();
  const shared = (id: string) =>
    node(id, { requires: [readingAs(numbers, { group: "team" })], aspects: [answered] }, async () => {});
  const nodes = [writing(1, 2, 3, 4), shared("held-a"), shared("held-b"), shared("last"), reading(readAll)];
  const running = started(nodes, own);
  await turn();
  expect(stops).toEqual([]);
  release();
  await running.wait();
  expect(stops).toEqual(["last team"]);
});

test("STR-44 a reader that failed inside a mount, whose failure an aspect keeps, stops its group in the save of the mount", async () => {
  const { own, stops } = leaving();
  const caught = aspect("caught", async (_context, next) => next().catch(() => {}));
  const fails = readingMount(
    "mount",
    async () => {
      throw boom;
    },
    caught,
  );
  await started([writing(1, 2, 3, 4), fails, reading(readAll)], own).wait();
  expect(stops).toEqual(["mount /mount/read"]);
  expect(own.lines.filter((line) => line.startsWith("ack"))).toHaveLength(4);
});

test("STR-44 a reader that has ended before the stream is opened is recorded as stopped by the opening", async () => {
  const { own, stops } = leaving();
  const open = deferred();
  const write = node("write", { provides: [numbers] }, async (_, context) => {
    await open.promise;
    const out = await context.open(numbers);
    for (const value of [1, 2, 3]) await out.send(value);
  });
  const running = started([write, readingMount("mount", async () => {}, answered), reading(readAll)], own);
  await turn();
  open.resolve();
  await running.wait();
  const [opening] = own.calls.filter(({ hook }) => hook === "open");
  expect(opening?.request).toMatchObject({
    groups: [
      { name: "/read", stopped: false },
      { name: "/mount/read", stopped: true },
    ],
  });
  expect(stops).toEqual([]);
});

test.each(["before", "after"] as const)(
  "STR-44 a reader that ends while the stream is being opened is stopped in the record: its commit is confirmed %s the opening",
  async (when) => {
    const { own, release } = leaving();
    const opening = own.hold("open");
    const begin = deferred();
    const late = aspect("late", () => begin.promise);
    const left = readingMount("held", async () => {}, late);
    const running = started([writing(1, 2, 3, 4), left, reading(readAll)], own);
    await opening.reached;
    begin.resolve();
    await turn();
    const [first, second] = when === "before" ? [release, opening.release] : [opening.release, release];
    first();
    await turn();
    second();
    await running.wait();
    const at = own.lines.indexOf("stop /held/read");
    expect(at).toBeGreaterThan(0);
    // Nothing was sent before: the writer has its stream when all of it is known.
    expect(own.lines.findIndex((line) => line.startsWith("append"))).toBeGreaterThan(at);
  },
);
