import type { NodeEntry, ValueRecord } from "@pulse-ts/durable";
import { contentsNamed } from "@pulse-ts/durable/define-store";
import { acquiring, mistake, owning } from "./mistake.ts";
import { readRun } from "./shelf.ts";

/** Wrong about contents (STORE-8, STORE-10). */
export const contentMistakes = [
  mistake("keeps 64 KiB of a content", ["STORE-8.sizes"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        save: async (save, call) =>
          await owned.save(
            {
              ...save,
              contents: save.contents.map(({ bytes, ...rest }) =>
                bytes ? { ...rest, bytes: bytes.slice(0, 65_536) } : rest,
              ),
            },
            call,
          ),
      })),
  }),
  mistake("wants the bytes of each content that a save names", ["STORE-10.carried-on"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        async save(save, call) {
          if (save.contents.some(({ bytes }) => bytes === undefined)) throw new Error("a content without its bytes");
          return await owned.save(save, call);
        },
      })),
  }),
  mistake("deletes the contents of a run with it", ["STORE-8.shared"], {
    adapter: (right, shelf) => ({
      ...right,
      catalog: {
        ...right.catalog,
        async delete(runId) {
          const record = readRun(shelf, runId);
          await right.catalog.delete(runId);
          if (record !== undefined) for (const digest of contentsNamed(record)) shelf.contents.delete(digest);
        },
      },
    }),
  }),
  mistake("gives no bytes for a content that is not there", ["STORE-10.checked"], {
    store: (right, { contents }) =>
      acquiring(right, () => ({ content: async (digest) => Uint8Array.from(contents.get(digest) ?? []) })),
  }),
  mistake("gives the very bytes of a content that it keeps", ["STORE-10.isolated"], {
    adapter: (right, { contents }) => owning(right, () => ({ content: async (digest) => contents.get(digest) })),
  }),
  mistake("names contents that nobody can read", ["STORE-10.both-or-none"], {
    store: (right) => ({
      ...right,
      async acquire(runId, options) {
        const { content: _content, ...session } = await right.acquire(runId, options);
        return session;
      },
    }),
  }),
  mistake("puts the digest of a content's name in place of its value's", ["STORE-10.carried-on"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        async load(call) {
          const record = await owned.load(call);
          if (record === undefined) return undefined;
          const nodes = [...record.nodes].map(([key, node]): [string, NodeEntry] => [
            key,
            { ...node, outputs: node.outputs.map(withoutDigest) },
          ]);
          return { ...record, nodes: new Map(nodes) };
        },
      })),
  }),
];

const withoutDigest = (value: ValueRecord): ValueRecord =>
  value.state === "ready" && "content" in value ? { ...value, digest: "" } : value;
