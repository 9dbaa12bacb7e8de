import { describe, expect, test } from "vitest";
import { structured } from "./index.ts";
import { firstDifference } from "./testing/first-difference.ts";
import { refusal } from "./testing/refusal.ts";

const codec = structured();
const textOf = (value: unknown): string => new TextDecoder().decode(codec.encode(value));
const roundTrip = (value: unknown): unknown => codec.decode(codec.encode(value));
const read = (text: string): unknown => codec.decode(new TextEncoder().encode(text));

function sparse(length: number, items: Record<number, unknown>): unknown[] {
  return Object.assign([], { length }, items);
}

describe("values that come back equal", () => {
  const values: Record<string, unknown> = {
    null: null,
    undefined: undefined,
    booleans: [true, false],
    NaN: Number.NaN,
    "-0": -0,
    infinities: [Infinity, -Infinity],
    "the biggest numbers": [Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, 1e21],
    "a bigint": -123456789012345678901234567890n,
    "undefined in an object": { a: undefined },
    "undefined in an array": [undefined, 1],
    "a sparse array": sparse(5, { 1: 1, 3: undefined }),
    "an array with a far end": sparse(4_294_967_295, {}),
    "a Date": new Date(1_700_000_000_000),
    "a Date before 1970": new Date(-5),
    "an invalid Date": new Date(Number.NaN),
    "a Map with object keys": new Map<unknown, unknown>([[{ a: 1 }, new Map([[Number.NaN, -0]])]]),
    "a Set": new Set([1, "1", 1n, undefined, [1]]),
    "a RegExp": /a[/\]"\n]/dgimsuy,
    "a URL": new URL("https://user:pass@example.org:81/a%20b?c=d#e"),
    "dotted keys": { "a.b": { "c.d": 1 }, user_id: 2, "": 3 },
    "names of Object.prototype": JSON.parse(
      '{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":{"__proto__":[4]}}',
    ),
    NUL: { "a\u0000b": "c\u0000d" },
    "empty containers": [{}, [], new Map(), new Set(), "", new Uint8Array(), new ArrayBuffer(0)],
    "a null prototype": Object.assign(Object.create(null) as object, { a: [Object.create(null)] }),
    "line separators and astral characters": "\u2028\u2029\uFEFF😀\uFFFF",
    "integer-like keys": { 10: "a", 9: "b", b: "c", "-1": "d", "01": "e" },
    "every typed array": [
      new Int8Array([-1]),
      new Uint8Array([255]),
      new Uint8ClampedArray([3]),
      new Int16Array([-2]),
      new Uint16Array([65_535]),
      new Int32Array([-3]),
      new Uint32Array([4]),
      new Float32Array([0.5, Number.NaN]),
      new Float64Array([-0]),
      new BigInt64Array([-1n]),
      new BigUint64Array([1n]),
      new DataView(new ArrayBuffer(2)),
      Buffer.from("a"),
      new ArrayBuffer(3),
    ],
  };

  for (const [name, value] of Object.entries(values)) {
    test(`CODEC-6 ${name}`, () => {
      expect(roundTrip(value)).toStrictEqual(value);
      expect(firstDifference(value, roundTrip(value))).toBeUndefined();
      expect(codec.encode(roundTrip(value))).toEqual(codec.encode(value));
    });
  }

  test("V1 CODEC-6 a bigint inside an object", () => {
    expect(roundTrip({ n: 1n })).toStrictEqual({ n: 1n });
  });

  test("V2 CODEC-6 a Uint8Array byte for byte", () => {
    const back = roundTrip(new Uint8Array([0, 255, 128])) as Uint8Array;
    expect(back).toStrictEqual(new Uint8Array([0, 255, 128]));
    expect(back.buffer.byteLength).toBe(3);
  });

  test("V3 CODEC-6 NaN, -0, infinities, an invalid Date and undefined are never null", () => {
    const value = { a: [Number.NaN, -0, Infinity, undefined], b: new Date(Number.NaN), c: undefined };
    const back = roundTrip(value) as typeof value;
    expect(back).toStrictEqual(value);
    expect(Object.is(back.a[1], -0)).toBe(true);
    expect(Object.hasOwn(back, "c")).toBe(true);
  });

  test("V4 CODEC-7 data that looks like an envelope stays plain data", () => {
    const envelopes = [
      { lc: 2, type: "constructor", id: ["Set"], args: [[1]] },
      { json: 1, meta: {} },
      { $date: 0 },
      ["Date", 5],
      ["ref", 0],
      [0, "undefined"],
      ["undefined"],
      { "0": "Map" },
    ];
    for (const envelope of envelopes) expect(roundTrip(envelope)).toStrictEqual(envelope);
    expect(roundTrip(envelopes)).toStrictEqual(envelopes);
  });

  test("V5 CODEC-6 NUL in keys and values", () => {
    expect(roundTrip({ "a\u0000b": "a\u0000b" })).toStrictEqual({ "a\u0000b": "a\u0000b" });
  });

  test("V6 CODEC-6 keys that mean something to JavaScript are unchanged, and no prototype is touched", () => {
    const value = JSON.parse(
      '{"user_id":1,"a.b":2,"__proto__":{"polluted":true},"constructor":4,"toString":5,"":6}',
    ) as object;
    const back = roundTrip(value) as object;
    expect(Object.getOwnPropertyNames(back).sort()).toEqual(Object.getOwnPropertyNames(value).sort());
    expect(Object.getOwnPropertyDescriptor(back, "__proto__")?.value).toEqual({ polluted: true });
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  test("CODEC-6 an Error with name, message, cause and own data", () => {
    const error = Object.assign(new TypeError("wrong", { cause: { code: 7n } }), { code: "E", at: new Date(1) });
    error.name = "Named";
    const back = roundTrip(error) as typeof error;
    expect(back).toStrictEqual(error);
    expect(back).toBeInstanceOf(TypeError);
    expect(back.cause).toStrictEqual({ code: 7n });
    expect([back.name, back.code, back.at]).toStrictEqual(["Named", "E", new Date(1)]);
    expect(Object.keys(back).sort()).toEqual(Object.keys(error).sort());
    expect(Object.prototype.propertyIsEnumerable.call(back, "message")).toBe(false);
  });

  test("CODEC-6 an Error that is its own cause, and an AggregateError", () => {
    const error = new Error("round");
    error.cause = error;
    const back = roundTrip(new AggregateError([error, error], "many")) as AggregateError;
    expect(back).toBeInstanceOf(AggregateError);
    expect(back.errors[0]).toBe(back.errors[1]);
    expect((back.errors[0] as Error).cause).toBe(back.errors[0]);
  });

  test("CODEC-6 the stack is not stored: equal errors have equal bytes, wherever they were made", () => {
    const make = (): Error => new Error("same");
    expect(textOf(make())).toBe(textOf(new Error("same")));
    expect((roundTrip(make()) as Error).stack).toBe("Error: same");
  });

  test("CODEC-6 a cause of undefined is not a missing one", () => {
    expect(Object.hasOwn(roundTrip(new Error("a", { cause: undefined })) as Error, "cause")).toBe(true);
    expect(Object.hasOwn(roundTrip(new Error("a")) as Error, "cause")).toBe(false);
  });

  test("CODEC-6 shared references and cycles keep their identity", () => {
    const shared = { date: new Date(0) };
    const value: Record<string, unknown> = { a: shared, b: [shared, shared.date], map: new Map([[shared, shared]]) };
    value["me"] = value;
    value["set"] = new Set([value]);
    expect(firstDifference(value, roundTrip(value))).toBeUndefined();
  });

  test("CODEC-6 two views on one whole buffer still share it", () => {
    const buffer = new ArrayBuffer(8);
    const [bytes, floats, back] = roundTrip([new Uint8Array(buffer), new Float64Array(buffer), buffer]) as [
      Uint8Array,
      Float64Array,
      ArrayBuffer,
    ];
    expect(bytes.buffer).toBe(floats.buffer);
    expect(bytes.buffer).toBe(back);
  });

  test("CODEC-6 a view on a part of a buffer is stored without the rest", () => {
    const pool = new Uint8Array([1, 2, 3, 4]);
    const back = roundTrip([pool.subarray(0, 2), pool.subarray(2)]) as Uint8Array[];
    expect(back).toStrictEqual([new Uint8Array([1, 2]), new Uint8Array([3, 4])]);
    expect(textOf(pool.subarray(1, 3))).toBe(textOf(new Uint8Array([2, 3])));
  });

  test("CODEC-6 a RegExp keeps where it stood", () => {
    const pattern = /a/g;
    pattern.lastIndex = 3;
    expect((roundTrip(pattern) as RegExp).lastIndex).toBe(3);
  });
});

describe("bytes", () => {
  test("CODEC-1 equal objects have equal bytes, whatever the order of their keys", () => {
    expect(textOf({ b: { y: 1, x: 2 }, a: 1 })).toBe(textOf({ a: 1, b: { x: 2, y: 1 } }));
    expect(codec.fingerprint({ b: 2, a: 1 })).toBe(codec.fingerprint({ a: 1, b: 2 }));
    expect(codec.fingerprint({ a: 1 })).not.toBe(codec.fingerprint({ a: 2 }));
  });

  test("CODEC-6 the order of a Map and of a Set is part of the value", () => {
    expect(
      textOf(
        new Map([
          [1, 1],
          [2, 2],
        ]),
      ),
    ).not.toBe(
      textOf(
        new Map([
          [2, 2],
          [1, 1],
        ]),
      ),
    );
    expect([...(roundTrip(new Set([3, 1, 2])) as Set<number>)]).toEqual([3, 1, 2]);
  });

  test("CODEC-6 the text is the documented one", () => {
    expect(textOf({ b: [1, "x"], a: undefined })).toBe('{"a":["undefined"],"b":[0,1,"x"]}');
    expect(textOf(sparse(2, { 1: 1 }))).toBe('["sparse",2,1,1]');
    expect(textOf(new Uint8Array([1]))).toBe('["Uint8Array",["ArrayBuffer","AQ=="]]');
  });

  test("CODEC-13 every decode builds a value of its own", () => {
    const bytes = codec.encode({ list: [1] });
    const first = codec.decode(bytes) as { list: number[] };
    first.list.push(2);
    expect(codec.decode(bytes)).toEqual({ list: [1] });
  });

  test("CODEC-14 bytes that encoding could not have written are refused", () => {
    const texts = [
      "",
      "{",
      "1 ",
      " 1",
      "1.0",
      "01",
      "1 2",
      '{"a":1,"a":1}',
      '{"b":1,"a":1}',
      '"\\u0041"',
      '"\\ud800"',
      "[]",
      "[1]",
      '["Money",{}]',
      '["ref",0]',
      '[0,["ref",5]]',
      '["bigint","07"]',
      '["bigint","x"]',
      '["bigint",7]',
      '["NaN",1]',
      '["sparse",1,0,1]',
      '["sparse",1,4,1]',
      '["sparse",-1]',
      '["Date","2020-01-01"]',
      '["Date",1.5]',
      '["Date",8640000000000001]',
      '["Map",1]',
      '["Map",1,1,1,2]',
      '["Set",1,1]',
      '["RegExp","(","",0]',
      '["RegExp","a","zz",0]',
      '["URL","nowhere"]',
      '["URL","HTTP://A"]',
      '["ArrayBuffer","A"]',
      '["ArrayBuffer","AB=="]',
      '["Uint8Array",[0,1]]',
      '["Float64Array",["ArrayBuffer","AQ=="]]',
      '["Error",{},{"message":"x"}] ',
      '["Error",{"stack":"x"},{}]',
      '["null",[0]]',
      '["null"]',
      "-0.0",
      "1e400",
      "NaN",
    ];
    for (const text of texts) {
      expect([text, refusal(() => read(text)).code]).toEqual([text, "PULSE_CODEC"]);
    }
  });

  test("CODEC-8 invalid UTF-8, and what are no bytes, are refused", () => {
    expect(refusal(() => codec.decode(new Uint8Array([0x22, 0xff, 0x22]))).message).toContain("UTF-8");
    expect(refusal(() => codec.decode(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).message).toContain("UTF-8");
    expect(refusal(() => codec.decode("1" as unknown as Uint8Array)).message).toContain("no bytes");
  });
});
