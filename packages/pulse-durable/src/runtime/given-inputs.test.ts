import { createCodecs, defineCodec } from "@pulse-ts/codec";
import { graph, key, node, optional, skipped, type } from "@pulse-ts/core";
import type { InputsOf } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import type { RunRecord } from "../record/format.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { worker } from "../testing/worker.ts";

const url = key("url", type<string>());
const depth = key("depth", type<number>());
const maybe = key("maybe", type<string>());
const digest = graph("digest", {
  inputs: [url, depth, optional(maybe)],
  nodes: [node("read", { requires: [url, depth, optional(maybe)] }, () => {})],
});
const call = { runId: "run", version: "1" };
const started = { url: "https://example.org/secret", depth: 2, maybe: "here" };

test("DUR-4 DUR-6 REC-17 the inputs that differ are named, and no hash is in the message", async () => {
  const memory = memoryStore();
  await worker(memory).pulse.run(digest, started, call);
  const differences = async (inputs: InputsOf<typeof digest>) => {
    const error = await rejectionOf("PULSE_INCOMPATIBLE", worker(memory).pulse.resume(digest, inputs, call));
    expect(error.message).not.toMatch(/[0-9a-f]{16}|key ring/);
    for (const line of error.details.differences ?? []) expect(error.message).toContain(line);
    expect(error.details).toMatchObject({
      what: "inputs",
      expected: expect.stringMatching(/^[0-9a-f]{64}$/),
      found: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    return error.details.differences;
  };
  expect(await differences({ ...started, url: "https://example.org/other" })).toEqual(['changed: input "url"']);
  expect(await differences({ ...started, depth: 3, maybe: skipped })).toEqual([
    'changed: input "depth"',
    'now skipped: input "maybe"',
  ]);
});

test("DUR-4 CORE-41 an optional input that was skipped and is given now is named", async () => {
  const memory = memoryStore();
  const { url, depth } = started;
  await worker(memory).pulse.run(digest, { url, depth }, call);
  const error = await rejectionOf("PULSE_INCOMPATIBLE", worker(memory).pulse.resume(digest, started, call));
  expect(error.details.differences).toEqual(['was skipped: input "maybe"']);
});

test("DUR-4 the outline keeps a short hash of each input, never the input, and is no part of the definition", async () => {
  const memory = memoryStore();
  await worker(memory).pulse.run(digest, { ...started, maybe: skipped }, call);
  const { outline = {} } = (await memory.catalog.read("run")).header;
  expect(outline).toMatchObject({
    "input url": expect.stringMatching(/^[0-9a-f]{16}$/),
    "input depth": expect.stringMatching(/^[0-9a-f]{16}$/),
    "input maybe": "skipped",
  });
  expect(JSON.stringify(outline)).not.toContain("example.org");
  const other = graph("digest", { inputs: [url, depth], nodes: [node("write", { requires: [url, depth] }, () => {})] });
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    worker(memory).pulse.resume(other, { url: "u", depth: 2 }, call),
  );
  expect(error.details.differences).toEqual(["changed: graph digest", "removed: node read", "added: node write"]);
  expect(error.message).not.toMatch(/[0-9a-f]{16}/);
});

test("DUR-4 CODEC-1 inputs are told apart whatever form a codec gives its fingerprints", async () => {
  const codecs = createCodecs();
  const text = type<string>("text");
  codecs.register(
    defineCodec({
      type: text,
      id: "text",
      version: "1",
      encode: (value) => new TextEncoder().encode(value),
      decode: (bytes) => new TextDecoder().decode(bytes),
      fingerprint: (value) => `a long prefix that all of them share: ${value.length}`,
    }),
  );
  const word = key("word", text);
  const saying = graph("saying", { inputs: [word], nodes: [node("say", { requires: [word] }, () => {})] });
  const memory = memoryStore();
  await worker(memory, { codecs }).pulse.run(saying, { word: "one" }, call);
  await worker(memory, { codecs }).pulse.resume(saying, { word: "two" }, call);
  const resumed = worker(memory, { codecs }).pulse.resume(saying, { word: "three" }, call);
  const error = await rejectionOf("PULSE_INCOMPATIBLE", resumed);
  expect(error.details.differences).toEqual(['changed: input "word"']);
});

test("DUR-4 a run that was recorded without its inputs in the outline is refused all the same, without a list", async () => {
  const memory = memoryStore();
  await worker(memory).pulse.run(digest, started, call);
  const { pulse } = worker({
    acquire: async (runId) => {
      const session = await memory.acquire(runId);
      return {
        load: async () => withoutInputs(await session.load()),
        save: (...saved) => session.save(...saved),
        close: () => session.close(),
      };
    },
  });
  const error = await rejectionOf("PULSE_INCOMPATIBLE", pulse.resume(digest, { ...started, depth: 3 }, call));
  expect(error.details).toMatchObject({ what: "inputs" });
  expect(error.details).not.toHaveProperty("differences");
  expect(error.message).toContain("it was started with other inputs; resume it");
});

function withoutInputs(record: RunRecord): RunRecord {
  const parts = Object.entries(record.header.outline ?? {}).filter(([part]) => !part.startsWith("input "));
  return { ...record, header: { ...record.header, outline: Object.fromEntries(parts) } };
}
