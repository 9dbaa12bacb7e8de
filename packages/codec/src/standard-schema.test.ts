import type { StandardSchema } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import { createCodecs, type Codec } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

type Validate<Output> = StandardSchema<unknown, Output>["~standard"]["validate"];

function schemaOf<Output>(validate: Validate<Output>): StandardSchema<unknown, Output> {
  return { "~standard": { version: 1, vendor: "acme", validate } };
}

/** Takes `{ title: string, at?: Date }` and strips what it does not know, as most vendors do. */
const page = schemaOf<{ title: string; at?: Date }>((value) => {
  const { title, at } = value as { title?: unknown; at?: Date };
  if (typeof title !== "string") return { issues: [{ message: "a title is a string", path: [{ key: "title" }] }] };
  return { value: at === undefined ? { title } : { title, at } };
});
const of = (schema: StandardSchema): Codec => createCodecs().forType(schema, "page");
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("schemas of other vendors", () => {
  test("CODEC-16 values are written by structured(), and the id names the vendor only", () => {
    const codec = of(page);
    expect([codec.id, codec.version]).toEqual(["standard:acme", "1"]);
    expect(codec.encode({ title: "a", at: new Date(1) })).toEqual(bytesOf('{"at":["Date",1],"title":"a"}'));
    expect(codec.decode(codec.encode({ title: "a", at: new Date(1) }))).toStrictEqual({ title: "a", at: new Date(1) });
    expect(of(schemaOf((value) => ({ value }))).id).toBe(codec.id);
  });

  test("CODEC-16 a value is validated when it is decoded", () => {
    const error = refusal(() => of(page).decode(bytesOf('{"title":5}'), { key: "page" }));
    expect([error.details.key, error.details.path]).toEqual(["page", "title"]);
  });

  test("CODEC-14 a value is validated when it is encoded, and what the schema strips is dropped there", () => {
    expect(of(page).encode({ title: "a", extra: () => 1 })).toEqual(bytesOf('{"title":"a"}'));
    expect(refusal(() => of(page).encode({ title: 1 }, { key: "page" })).details.path).toBe("title");
    expect(refusal(() => of(page).decode(bytesOf('{"extra":1,"title":"a"}'))).code).toBe("PULSE_CODEC");
  });

  test("CODEC-16 a schema that changes its own output is refused at the first value, not when it is read", () => {
    const growing = schemaOf((value) => ({ value: Number(value) + 1 }));
    expect(refusal(() => of(growing).encode(1)).message).toContain("changes its own output");
    const turning = schemaOf((value) =>
      typeof value === "string" ? { value: value.length } : { issues: [{ message: "a string" }] },
    );
    expect(refusal(() => of(turning).encode(5)).message).toContain("a string");
    expect(refusal(() => of(turning).encode("abc")).message).toContain("a string");
    const trimming = of(schemaOf((value) => ({ value: String(value).trim() })));
    expect(trimming.decode(trimming.encode(" a "))).toBe("a");
  });

  test("CODEC-15 a schema that answers with a promise is refused by key", () => {
    const late = of(schemaOf(async (value) => ({ value })));
    const failing = of(schemaOf(async () => Promise.reject(new Error("late"))));
    for (const codec of [late, failing]) {
      const error = refusal(() => codec.encode(1, { key: "page" }));
      expect([error.details.key, error.message.includes("async")]).toEqual(["page", true]);
    }
  });

  test("CODEC-7 a schema that throws is a PULSE_CODEC error", () => {
    const throwing = of(
      schemaOf(() => {
        throw new Error("broken schema");
      }),
    );
    expect(refusal(() => throwing.encode(1)).message).toContain("broken schema");
  });

  test("CODEC-10 CODEC-12 live channels and depth are looked for before the schema runs", () => {
    const anything = of(schemaOf((value) => ({ value })));
    expect(refusal(() => of(page).encode({ title: "a", dropped: [new ReadableStream()] })).details.path).toBe(
      "dropped[0]",
    );
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(refusal(() => anything.encode(deep)).message).toContain("depthMax");
  });
});
