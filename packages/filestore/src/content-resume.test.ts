import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { graph, key, mount, node, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { contentPath } from "./layout.ts";
import { fileStore } from "./open.ts";
import { contentFiles } from "./testing/big-values.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { openPlace } from "./testing/place.ts";

/** The store, and which contents its sessions are asked for. */
function watched(store: Store): Store & { readonly fetched: string[] } {
  const fetched: string[] = [];
  return {
    fetched,
    async acquire(runId, options) {
      const session = await store.acquire(runId, options);
      return {
        load: async (call) => await session.load(call),
        save: async (...given) => await session.save(...given),
        close: async () => await session.close(),
        content: async (digest, call) => {
          fetched.push(digest);
          if (session.content === undefined) throw new Error("the store keeps no contents");
          return await session.content(digest, call);
        },
      };
    },
  };
}

const big = (letter: string): string => letter.repeat(40_000);
const digestOf = (letter: string): string => hash("sha256", JSON.stringify(big(letter)));

const a = key("a", type<string>());
const b = key("b", type<string>());
const c = key("c", type<string>());
const d = key("d", type<string>());

test("STORE-10 DUR-15 a resume fetches the contents that unfinished nodes, mounts and outputs need, and a live run none", async () => {
  await using place = await openPlace();
  const bodies: string[] = [];
  let stopped: AbortController | undefined;
  const inner = graph("inner", {
    inputs: [b],
    outputs: [d],
    nodes: [
      node("c", { requires: [b], provides: [c] }, ({ b }) => {
        bodies.push("c");
        return { c: big("c") + b.slice(0, 0) };
      }),
      node("d", { requires: [c], provides: [d] }, async ({ c }) => {
        bodies.push("d");
        stopped?.abort(new Error("the host stops"));
        stopped?.signal.throwIfAborted();
        return { d: big("d") + c.slice(0, 0) };
      }),
    ],
  });
  const outer = graph("outer", {
    outputs: [d],
    nodes: [
      node("a", { provides: [a] }, () => {
        bodies.push("a");
        return { a: big("a") };
      }),
      node("b", { requires: [a], provides: [b] }, ({ a }) => {
        bodies.push("b");
        return { b: big("b") + a.slice(0, 0) };
      }),
      mount("inner", inner),
    ],
  });
  const call = { runId: "run", version: "1" };

  stopped = new AbortController();
  const first = watched(fileStore(place));
  const running = durable({ store: first }).run(outer, {}, { ...call, signal: stopped.signal });
  await rejectionOf("PULSE_INTERRUPTED", running);
  expect(first.fetched).toEqual([]);
  expect(await contentFiles(place.folder)).toEqual(["a", "b", "c"].map(digestOf).sort());

  stopped = undefined;
  const second = watched(fileStore(place));
  const outcome = await durable({ store: second }).resume(outer, {}, call);
  expect(outcome.values.d).toBe(big("d"));
  // What made b is done: nobody needs a.
  expect([...second.fetched].sort()).toEqual(["b", "c"].map(digestOf).sort());
  expect(bodies).toEqual(["a", "b", "c", "d", "d"]);

  const third = watched(fileStore(place));
  expect((await durable({ store: third }).resume(outer, {}, call)).values.d).toBe(big("d"));
  expect(third.fetched).toEqual([digestOf("d")]);
  // The inner d and the outer one are one content.
  expect(await contentFiles(place.folder)).toEqual(["a", "b", "c", "d"].map(digestOf).sort());
  await writeFile(contentPath(place.folder, digestOf("d")), "damaged");
  const error = await rejectionOf("PULSE_CORRUPT", durable({ store: fileStore(place) }).resume(outer, {}, call));
  expect(error.details.where).toBe(contentPath(place.folder, digestOf("d")));
});
