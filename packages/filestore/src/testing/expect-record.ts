import type { RunRecord, Store, ValueRecord } from "@pulse-ts/durable";
import { expect } from "vitest";

/** The record is the one that was given to the store, its contents fetched and compared byte by byte. */
export async function expectRecord({ catalog }: Store, found: RunRecord, expected: RunRecord): Promise<void> {
  const { runId } = expected.header;
  expect({ ...found, nodes: undefined }).toEqual({ ...expected, nodes: undefined });
  expect([...found.nodes.keys()].sort()).toEqual([...expected.nodes.keys()].sort());
  for (const [key, node] of expected.nodes) {
    const { outputs = [], ...rest } = found.nodes.get(key) ?? {};
    expect({ ...rest, outputs: outputs.map(withoutBytes) }).toEqual({
      ...node,
      outputs: node.outputs.map(withoutBytes),
    });
    for (const [at, value] of node.outputs.entries()) {
      const stored = outputs[at];
      if (stored === undefined || !("bytes" in value)) throw new Error(`${key} has no value ${at}`);
      const bytes = "content" in stored ? await catalog?.content?.(runId, stored.content.digest) : bytesOf(stored);
      // Not by `toEqual`, which takes milliseconds for as many bytes.
      expect(Buffer.compare(bytes ?? new Uint8Array(), value.bytes)).toBe(0);
      if ("content" in stored) expect(stored.content).toEqual({ digest: value.digest, size: value.bytes.length });
    }
  }
}

function withoutBytes(value: ValueRecord): object {
  const { bytes: _bytes, content: _content, ...rest } = value as ValueRecord & { bytes?: unknown; content?: unknown };
  return rest;
}

const bytesOf = (value: ValueRecord): Uint8Array | undefined => ("bytes" in value ? value.bytes : undefined);
