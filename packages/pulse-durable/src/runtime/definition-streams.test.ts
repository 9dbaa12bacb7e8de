import { graph, key, mount, node, type } from "@pulse-ts/core";
import { handleMessages, reading, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { z } from "zod";
import { alwaysResume } from "../always-resume.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { worker } from "../testing/worker.ts";

const total = key("total", type<number>("number"));
const call = { runId: "run", version: "1" };

interface Variant {
  readonly capacity?: number;
  readonly resumable?: boolean;
  readonly group?: string;
  readonly element?: z.ZodType<number>;
  readonly position?: z.ZodType<number>;
  readonly second?: boolean;
}

/** A stream that leaves its mount under another name, and is read there. */
function variant({ capacity = 4, resumable = true, element = z.int(), position = z.int(), ...rest }: Variant = {}) {
  const rows = stream("rows", element, { capacity, position });
  const out = stream("out", element, { capacity });
  const write = node("write", { provides: [rows], resumable }, async (_, { open }) => {
    const to = await open(rows);
    for (let at = (to.position() ?? 0) + 1; at <= 5; at += 1) await to.sendAt(at, at);
  });
  const child = graph("child", { outputs: [rows], nodes: [write] });
  const from = rest.group === undefined ? out : reading(out, { group: rest.group });
  const read = node("read", { requires: [from], provides: [total] }, async ({ out: reader }) => ({
    total: await handleMessages(reader, ({ value, sequence }, { state, set }) => {
      const sum = Number(state.get() ?? 0) + value;
      state.set(sum);
      if (sequence === 5) set(total, sum);
    }),
  }));
  const leave = node("leave", { requires: [out] }, async ({ out: reader }) => {
    await reader.stop();
  });
  return graph("streams", {
    outputs: [total],
    nodes: [mount("child", child, { out: { rows: out } }), read, ...(rest.second === true ? [leave] : [])],
  });
}

test.each([
  ["capacity", { capacity: 5 }],
  ["resumability", { resumable: false }],
  ["a group's name", { group: "named" }],
  ["the element's codec", { element: z.number() }],
  ["the position's codec", { position: z.number() }],
  ["a further reader", { second: true }],
] as const)("DUR-5 DUR-4 REC-29 another definition of a stream is refused by its name: %s", async (_what, changed) => {
  const memory = memoryStore();
  await worker(memory).pulse.run(variant(), {}, call);
  expect((await worker(memory).pulse.resume(variant(), {}, call)).values).toEqual({ total: 15 });
  const later = worker(memory);
  const error = await rejectionOf("PULSE_INCOMPATIBLE", later.pulse.resume(variant(changed), {}, call));
  expect(error.details).toMatchObject({ what: "definition", next: "same-definition", runId: "run" });
  expect(error.details.differences).toContain("changed: stream child/write/rows");
  expect(error.message).toContain("child/write/rows");
  expect([later.store.saves, later.store.closed]).toEqual([[], 1]);
});

test("DUR-16 DUR-8 STR-12 STR-21 a mount whose child writes a stream for the graph around it is stopped at every save", async () => {
  for (const stop of ["interrupt", "lost", "uncertain"] as const) {
    const { outcome, resumes } = await alwaysResume(() => variant({ second: true, group: "named" }), {}, { stop });
    expect(outcome.values).toEqual({ total: 15 });
    expect(resumes).toBeGreaterThan(5);
  }
});
