import { graph, key, mount, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { alwaysResume } from "@pulse-ts/durable/testing";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { contentFiles } from "./testing/big-values.ts";
import { openPlace } from "./testing/place.ts";

const text = type<string>("text");
const lines = stream("lines", text, { capacity: 2, position: type<number>("number") });
const joined = key("joined", text);

/** A mount whose child writes lines, one of which is big, for a handler outside that keeps them all. */
function subject() {
  const write = node("write", { provides: [lines], resumable: true }, async (_, { open }) => {
    const out = await open(lines);
    for (let at = (out.position() ?? 0) + 1; at <= 4; at += 1) {
      await out.sendAt(at, at === 3 ? "3".repeat(40_000) : `${at}`);
    }
  });
  const join = node("join", { requires: [lines], provides: [joined] }, async (values) => ({
    joined: await handleMessages(
      values.lines,
      ({ value, sequence }, { attempt, state, set }) => {
        if (sequence === 2 && attempt === 1) throw new Error("fails first");
        const all = `${state.get() ?? ""}${value}`;
        state.set(all);
        if (sequence === 4) set(joined, all);
      },
      { limit: 2, state: text },
    ),
  }));
  const child = graph("child", { outputs: [lines], nodes: [write] });
  return graph("files", { outputs: [joined], nodes: [mount("child", child), join] });
}

test.each(["interrupt", "lost", "uncertain"] as const)(
  "DUR-16 DUR-8 STR-21 STR-22 STORE-10 a run with streams on files is stopped at every save: %s",
  async (stop) => {
    await using place = await openPlace();
    const store = fileStore({ folder: place.folder, contentBytesMin: 10_000 });
    const { outcome, resumes } = await alwaysResume(subject, {}, { store, stop });
    expect(outcome.values).toEqual({ joined: `12${"3".repeat(40_000)}4` });
    expect(resumes).toBeGreaterThan(8);
    expect((await store.catalog?.read("always-resume"))?.messages.size).toBe(0);
    // The big line and the states that hold it.
    expect((await contentFiles(place.folder)).length).toBeGreaterThan(1);
    await store.close?.();
  },
);
