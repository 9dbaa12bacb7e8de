import fc from "fast-check";
import { expect, test } from "vitest";
import { graph, key, node, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { recorded, restoring } from "../testing/restored-streams.ts";
import { reading, stream } from "./index.ts";

const lines = stream("lines", type<string>("string"), { capacity: 2, position: type<number>("number") });
const seen = key("seen", type<readonly string[]>("strings"));

const write = node("write", { provides: [lines], resumable: true }, async (_values, { open }) => {
  const writer = await open(lines);
  for (let at = (writer.position() ?? 0) + 1; at <= 4; at++) await writer.sendAt(at, `m${at}`);
});

test("STR-3 a restored rest above capacity is kept, and send waits until it has shrunk", async () => {
  const restored = recorded({
    path: "write",
    key: "lines",
    last: 3,
    position: 3,
    groups: [{ name: "/read", pending: [1, 2, 3] }],
  });
  const gate = deferred();
  const slow = node("read", { requires: [lines], provides: [seen] }, async (values) => {
    await gate.promise;
    const all: string[] = [];
    for await (const value of values.lines.values()) all.push(value);
    return { seen: all };
  });
  const { running } = restoring(graph("flat", { nodes: [write, slow], outputs: [seen] }), {
    nodes: [],
    streams: [restored],
  });
  running.start();
  await turn();
  expect(running.snapshot().streams).toMatchObject([{ sent: 3, senders: 1, heldBackBy: ["/read"], state: "open" }]);
  gate.resolve();
  expect(await running.wait()).toMatchObject({ values: { seen: ["m1", "m2", "m3", "m4"] } });
});

test("STR-23 the host receives and acknowledges the rest after the execution has ended", async () => {
  const writes = graph("writes", { nodes: [write], outputs: [lines] });
  const restored = recorded({
    path: "write",
    key: "lines",
    last: 3,
    end: "completed",
    groups: [{ name: "host", pending: [2, 3] }],
  });
  const { running } = restoring(writes, {
    nodes: [
      {
        nodeId: "write",
        reason: "completed",
        outputs: [{ name: "lines", state: "stream", sourceId: restored.sourceId }],
      },
    ],
    streams: [restored],
  });
  const reader = running.subscribe(lines);
  running.start();
  await running.wait();
  const values: unknown[] = [];
  for await (const { value, ack } of reader) {
    values.push(value);
    await ack();
  }
  expect(values).toEqual(["m2", "m3"]);
  expect(running.snapshot().streams).toMatchObject([{ groups: [{ name: "host", pending: 0, frontier: 3 }] }]);
});

test("CKPT-36 a restored message is read once for each delivery to each group", async () => {
  const reads: number[] = [];
  const restored = recorded(
    {
      path: "write",
      key: "lines",
      last: 2,
      end: "completed",
      groups: [
        { name: "one", pending: [2] },
        { name: "two", pending: [1, 2] },
      ],
    },
    (sequence) => reads.push(sequence),
  );
  const readIn = (group: string) =>
    node(group, { requires: [reading(lines, { group })] }, async (values) => {
      for await (const { ack } of values.lines) await ack();
    });
  const { running } = restoring(graph("two", { nodes: [write, readIn("one"), readIn("two")] }), {
    nodes: [
      {
        nodeId: "write",
        reason: "completed",
        outputs: [{ name: "lines", state: "stream", sourceId: restored.sourceId }],
      },
    ],
    streams: [restored],
  });
  running.start();
  await running.wait();
  expect(reads.toSorted((left, right) => left - right)).toEqual([1, 2, 2]);
});

const groupMax = 3;
const lastMax = 12;

test("STR-22 STR-7 random records: each group is given exactly what it had not acknowledged, in order, and its frontier moves as before", async () => {
  const sequences = fc.uniqueArray(fc.integer({ min: 1, max: lastMax }));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: lastMax }),
      fc.array(fc.record({ pending: sequences, stopped: fc.boolean() }), { minLength: 1, maxLength: groupMax }),
      async (last, groups) => {
        const accounts = groups.map(({ pending, stopped }, at) => ({
          name: `group${at}`,
          pending: pending.filter((sequence) => sequence <= last).toSorted((left, right) => left - right),
          stopped,
        }));
        const stopped = accounts.filter((account) => account.stopped).map(({ name }) => name);
        const restored = recorded({ path: "write", key: "lines", last, end: "completed", groups: accounts, stopped });
        const got = new Map<string, unknown[]>();
        const readers = accounts.map(({ name, pending }) =>
          node(name, { requires: [reading(lines, { group: name })] }, async (values) => {
            const all: unknown[] = [];
            got.set(name, all);
            for await (const { value, sequence, ack } of values.lines) {
              expect(value).toBe(`m${sequence}`);
              all.push(sequence);
              await ack();
              const shown = running.snapshot().streams[0]?.groups ?? [];
              const left = pending.filter((other) => other > sequence);
              expect(shown.find((group) => group.name === name)).toMatchObject({
                pending: left.length,
                frontier: (left[0] ?? last + 1) - 1,
              });
            }
          }),
        );
        const { running } = restoring(graph("random", { nodes: [write, ...readers] }), {
          nodes: [
            {
              nodeId: "write",
              reason: "completed",
              outputs: [{ name: "lines", state: "stream", sourceId: restored.sourceId }],
            },
          ],
          streams: [restored],
        });
        running.start();
        await running.wait();
        for (const account of accounts) expect(got.get(account.name)).toEqual(account.stopped ? [] : account.pending);
      },
    ),
    { numRuns: 200, ...(process.env["PULSE_SEED"] === undefined ? {} : { seed: Number(process.env["PULSE_SEED"]) }) },
  );
});
