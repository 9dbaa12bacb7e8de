import { describe, expect, test } from "vitest";
import * as z from "zod";
import { describeSchema, schemaHash } from "./describe-schema.ts";
import { defineCodec } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

describe("the description of a schema", () => {
  test("CODEC-5 every change of kind, fields, checks, optionality or enums changes the hash", () => {
    const schemas: z.ZodType[] = [
      z.string(),
      z.string().min(1),
      z.string().min(2),
      z.string().max(2),
      z.string().length(2),
      z.string().regex(/a/),
      z.string().regex(/a/i),
      z.string().regex(/b/),
      z.string().startsWith("a"),
      z.string().endsWith("a"),
      z.string().includes("a"),
      z.string().includes("a", { position: 1 }),
      z.string().trim(),
      z.string().refine(() => true),
      z.email(),
      z.url(),
      z.url({ hostname: /x/ }),
      z.uuid(),
      z.uuidv4(),
      z.iso.date(),
      z.iso.datetime(),
      z.iso.datetime({ offset: true }),
      z.iso.datetime({ precision: 3 }),
      z.number(),
      z.int(),
      z.int32(),
      z.number().min(0),
      z.number().gt(0),
      z.number().max(0),
      z.number().multipleOf(2),
      z.coerce.number(),
      z.nan(),
      z.bigint(),
      z.bigint().min(1n),
      z.bigint().min(2n),
      z.int64(),
      z.boolean(),
      z.date(),
      z.date().min(new Date(0)),
      z.date().min(new Date(1)),
      z.null(),
      z.undefined(),
      z.void(),
      z.any(),
      z.unknown(),
      z.never(),
      z.enum(["a", "b"]),
      z.enum(["a", "c"]),
      z.literal("a"),
      z.literal(["a", "b"]),
      z.literal(1),
      z.literal(1n),
      z.literal("1"),
      z.templateLiteral(["a", z.number()]),
      z.templateLiteral(["b", z.number()]),
      z.string().optional(),
      z.exactOptional(z.string()),
      z.string().nullable(),
      z.string().nullish(),
      z.string().default("a"),
      z.string().prefault("a"),
      z.string().catch("a"),
      z.string().readonly(),
      z.array(z.string()),
      z.array(z.number()),
      z.array(z.string()).min(1),
      z.tuple([z.string()]),
      z.tuple([z.string()], z.string()),
      z.tuple([z.string(), z.string()]),
      z.object({}),
      z.object({ a: z.string() }),
      z.object({ b: z.string() }),
      z.object({ a: z.number() }),
      z.object({ a: z.string().optional() }),
      z.strictObject({ a: z.string() }),
      z.looseObject({ a: z.string() }),
      z.object({ a: z.string() }).catchall(z.number()),
      z.object({ a: z.string(), b: z.string() }),
      z.record(z.string(), z.number()),
      z.record(z.string(), z.string()),
      z.record(z.enum(["a"]), z.number()),
      z.partialRecord(z.enum(["a"]), z.number()),
      z.looseRecord(z.string(), z.number()),
      z.map(z.string(), z.number()),
      z.map(z.number(), z.string()),
      z.set(z.string()),
      z.set(z.string()).min(1),
      z.union([z.string(), z.number()]),
      z.union([z.number(), z.string()]),
      z.xor([z.string(), z.number()]),
      z.discriminatedUnion("k", [z.object({ k: z.literal(1) })]),
      z.union([z.object({ k: z.literal(1) })]),
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      z.string().pipe(z.email()),
      z.stringbool(),
      z.json(),
      z.lazy(() => z.string()),
    ];
    const hashes = schemas.map((schema) => schemaHash(schema));
    expect(new Set(hashes).size).toBe(schemas.length);
  });

  test("CODEC-5 equal schemas have equal hashes, however they are put together", () => {
    const shared = z.object({ x: z.number(), y: z.number() });
    const twice = z.object({ a: shared, b: shared });
    const apart = z.object({
      b: z.object({ y: z.number(), x: z.number() }),
      a: z.object({ x: z.number(), y: z.number() }),
    });
    expect(schemaHash(apart)).toBe(schemaHash(twice));
    expect(schemaHash(z.enum(["b", "a"]))).toBe(schemaHash(z.enum(["a", "b"])));
    expect(schemaHash(z.string().describe("a").meta({ title: "b" }))).toBe(schemaHash(z.string()));
    expect(schemaHash(z.string().min(2, "too short"))).toBe(schemaHash(z.string().min(2)));
  });

  test("CODEC-5 the description is our own: it names formats and not zod's patterns for them", () => {
    expect(describeSchema(z.object({ a: z.email().optional(), b: z.array(z.int()) }))).toEqual({
      kind: "object",
      fields: [
        [
          "a",
          {
            kind: "optional",
            exact: false,
            inner: { kind: "string", checks: [{ check: "string_format", format: "email" }] },
          },
        ],
        ["b", { kind: "array", item: { kind: "number", checks: [{ check: "number_format", format: "safeint" }] } }],
      ],
      others: "dropped",
    });
  });

  test("CODEC-5 recursive schemas are described, wherever the recursion is entered", () => {
    const tree = (leaf: z.ZodType) => {
      const node = z.object({
        leaf,
        get left() {
          return node.optional();
        },
      });
      return node;
    };
    expect(schemaHash(tree(z.string()))).toBe(schemaHash(tree(z.string())));
    expect(schemaHash(tree(z.string()))).not.toBe(schemaHash(tree(z.number())));
    const inside = tree(z.string());
    expect(schemaHash(z.object({ a: inside, b: inside }))).toBe(
      schemaHash(z.object({ a: tree(z.string()), b: tree(z.string()) })),
    );
  });

  test("CODEC-5 schemas that stand in many places do not make the description grow without measure", () => {
    let schema: z.ZodType = z.string();
    for (let level = 0; level < 60; level++) schema = z.object({ a: schema, b: schema });
    expect(schemaHash(schema)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("CODEC-5 a schema that never ends is refused", () => {
    const endless = (): z.ZodType => z.lazy(() => z.array(endless()));
    expect(refusal(() => schemaHash(endless())).message).toContain("without an end");
  });

  test("CODEC-5 a registered codec inside a schema is part of its description", () => {
    const inner = z.string();
    const codec = (version: string) =>
      defineCodec<z.ZodString, string>({
        type: inner,
        id: "a",
        version,
        encode: () => new Uint8Array(),
        decode: () => "",
      });
    const hash = (version: string): string =>
      schemaHash(z.array(inner), (schema) => (schema === inner ? codec(version) : undefined));
    expect(new Set([hash("1"), hash("2"), schemaHash(z.array(inner))]).size).toBe(3);
  });
});
