import { isPulseError, key, type } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { automaticVersion } from "./registry.ts";
import {
  bigintType,
  booleanType,
  bytesType,
  createCodecs,
  createEmptyCodecs,
  dateType,
  defineCodec,
  json,
  nullType,
  numberType,
  sha256Hex,
  stringType,
  structured,
  urlType,
  type Codec,
  type Codecs,
} from "./index.ts";
import { refusal } from "./testing/refusal.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Point {
  readonly x: number;
}
const pointType = type<Point>("Point");
const point = (id = "point"): Codec<Point> =>
  defineCodec({
    type: pointType,
    id,
    version: "1",
    encode: (value) => bytesOf(String(value.x)),
    decode: (bytes) => ({ x: Number(new TextDecoder().decode(bytes)) }),
  });

function conflict(codecs: Codecs, codec: Codec): unknown {
  try {
    codecs.register(codec);
    return "registered";
  } catch (error) {
    return isPulseError(error, "PULSE_CONFLICT") ? error.details.what : error;
  }
}

describe("a codec", () => {
  test("CODEC-1 has a type, an id, a version, both directions and a fingerprint that is the hash of its bytes", () => {
    const codec = point();
    expect([codec.type, codec.id, codec.version]).toEqual([pointType, "point", "1"]);
    expect(codec.decode(codec.encode({ x: 5 }))).toEqual({ x: 5 });
    expect(codec.fingerprint({ x: 5 })).toBe(sha256Hex("5"));
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("CODEC-1 may give a fingerprint of its own, for bytes that differ for equal values", () => {
    let salt = 0;
    const codec = defineCodec({
      type: pointType,
      id: "salted",
      version: "1",
      encode: (value) => bytesOf(`${salt++}:${value.x}`),
      decode: (bytes) => ({ x: Number(new TextDecoder().decode(bytes).split(":")[1]) }),
      fingerprint: (value) => sha256Hex(`point ${value.x}`),
    });
    expect(codec.encode({ x: 1 })).not.toEqual(codec.encode({ x: 1 }));
    expect(codec.fingerprint({ x: 1 })).toBe(codec.fingerprint({ x: 1 }));
  });

  test("D13 CODEC-7 what a codec throws is a PULSE_CODEC error with the key, and leaves the codec usable", () => {
    const codec = defineCodec({
      type: pointType,
      id: "odd",
      version: "1",
      encode: (value: Point) => (value.x < 0 ? (undefined as never) : value.x > 9 ? bytesOf("big") : throwIt(value.x)),
      decode: () => throwIt(undefined),
    });
    for (const thrown of [1, 2]) {
      const error = refusal(() => codec.encode({ x: thrown }, { key: "point" }));
      expect([error.details.key, error.cause]).toEqual(["point", thrown]);
    }
    expect(refusal(() => codec.encode({ x: -1 })).message).toContain("Uint8Array");
    expect(refusal(() => codec.decode(bytesOf("a"), { key: "point" })).details.key).toBe("point");
    expect(codec.encode({ x: 10 })).toEqual(bytesOf("big"));
  });

  test("CODEC-12 a codec of one's own is held to the limit too", () => {
    const codec = defineCodec({
      type: pointType,
      id: "huge",
      version: "1",
      encode: () => new Uint8Array(64 * 1024 * 1024 + 1),
      decode: () => ({ x: 0 }),
    });
    expect(refusal(() => codec.encode({ x: 1 })).message).toContain("67108864");
    expect(refusal(() => codec.decode(new Uint8Array(64 * 1024 * 1024 + 1))).message).toContain("67108864");
  });

  test("CODEC-2 type, id and version must be there and not empty", () => {
    const parts = { type: pointType, id: "a", version: "1", encode: () => new Uint8Array(), decode: () => ({ x: 0 }) };
    for (const wrong of [
      { id: "" },
      { version: "" },
      { type: undefined as never },
      { type: {} as never },
      { id: 5 as never },
    ]) {
      expect(refusal(() => defineCodec({ ...parts, ...wrong })).code).toBe("PULSE_CODEC");
      expect(refusal(() => createCodecs().register({ ...point(), ...wrong })).code).toBe("PULSE_CODEC");
    }
    expect(refusal(() => json(z.string(), { id: "", version: "1" })).code).toBe("PULSE_CODEC");
    expect(refusal(() => structured(type(), { version: "" })).code).toBe("PULSE_CODEC");
  });

  function throwIt(what: unknown): never {
    throw what;
  }
});

describe("a registry", () => {
  test("CODEC-2 finds a codec by the identity of the key's type", () => {
    const codecs = createCodecs();
    const codec = point();
    codecs.register(codec);
    expect(codecs.forType(key("point", pointType).type, "point")).toBe(codec);
    expect(codecs.forType(type<Point>("Point"), "other")).not.toBe(codec);
    const schema = z.object({ x: z.number() });
    const named = json(schema, { id: "named", version: "2" });
    codecs.register(named);
    expect(codecs.forType(schema, "a")).toBe(named);
    expect(codecs.forType(z.object({ x: z.number() }), "b").id).not.toBe("named");
  });

  test("CODEC-2 a second registration of a type or an id is a conflict and replaces nothing", () => {
    const codecs = createCodecs();
    const first = point();
    codecs.register(first);
    expect(conflict(codecs, point("another"))).toBe("codec type");
    expect(conflict(codecs, structured(type(), { id: "point" }))).toBe("codec id");
    expect(conflict(codecs, first)).toBe("codec type");
    expect(conflict(codecs, structured(stringType, { id: "mine" }))).toBe("codec type");
    expect(conflict(codecs, structured(type(), { id: "string" }))).toBe("codec id");
    expect(codecs.forType(pointType, "point")).toBe(first);
    expect(conflict(codecs, structured(type(), { id: "another" }))).toBe("registered");
  });

  test("CODEC-3 createCodecs() brings the scalars", () => {
    const codecs = createCodecs();
    const ids = [stringType, numberType, booleanType, bigintType, bytesType, nullType, dateType, urlType].map(
      (token) => codecs.forType(token, "k").id,
    );
    expect(ids).toEqual(["string", "number", "boolean", "bigint", "bytes", "null", "Date", "URL"]);
  });

  test("CODEC-3 an empty registry takes custom ones only", () => {
    const codecs = createEmptyCodecs();
    for (const unknown of [stringType, z.string(), type()])
      expect(refusal(() => codecs.forType(unknown, "page")).details.key).toBe("page");
    codecs.register(point());
    expect(codecs.forType(pointType, "point").id).toBe("point");
    expect(conflict(codecs, structured(stringType, { id: "string" }))).toBe("registered");
  });

  test("CODEC-5 a schema that was not registered gets an automatic codec, the same one each time", () => {
    const codecs = createCodecs();
    const schema = z.object({ a: z.date() });
    const codec = codecs.forType(schema, "a");
    expect(codec.id).toMatch(/^zod:[0-9a-f]{64}$/);
    expect(codec.version).toBe(automaticVersion);
    expect(codecs.forType(schema, "b")).toBe(codec);
    expect(createCodecs().forType(z.object({ a: z.date() }), "c").id).toBe(codec.id);
    expect(createCodecs().forType(z.object({ a: z.date().optional() }), "c").id).not.toBe(codec.id);
  });

  test("CODEC-5 a type token that was not registered gets structured()", () => {
    const codec = createCodecs().forType(type<Map<string, Date>>(), "dates");
    expect([codec.id, codec.version]).toEqual(["structured", "1"]);
    expect(codec.decode(codec.encode(new Map([["a", new Date(1)]])))).toStrictEqual(new Map([["a", new Date(1)]]));
  });

  test("CODEC-2 a registration after an automatic codec was made takes effect", () => {
    const codecs = createCodecs();
    expect(codecs.forType(pointType, "point").id).toBe("structured");
    codecs.register(point());
    expect(codecs.forType(pointType, "point").id).toBe("point");
  });

  test("CODEC-15 what is neither a token nor a schema is refused by key", () => {
    for (const wrong of [undefined, null, 5, "x", {}, () => 1]) {
      expect(refusal(() => createCodecs().forType(wrong as never, "page")).details.key).toBe("page");
    }
  });

  test("CODEC-13 immutable tells which values readers may share", () => {
    const codecs = createCodecs();
    const shared = [
      stringType,
      numberType,
      booleanType,
      bigintType,
      nullType,
      z.string(),
      z.int().nullable(),
      z.enum(["a"]),
      z.literal(1),
      z.stringbool(),
      z.bigint(),
      z.union([z.string(), z.number()]),
    ];
    for (const token of shared) expect(codecs.forType(token, "k").immutable).toBe(true);
    const owned = [
      bytesType,
      dateType,
      urlType,
      type(),
      z.object({}),
      z.date(),
      z.array(z.string()),
      z.union([z.string(), z.date()]),
      z.any(),
    ];
    for (const token of owned) expect(codecs.forType(token, "k").immutable).toBe(false);
  });
});
