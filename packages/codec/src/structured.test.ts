import { Readable, Writable } from "node:stream";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depthMax, structured, valueBytesMax } from "./index.ts";
import { firstDifference } from "./testing/first-difference.ts";
import { refusal, unlessRefused } from "./testing/refusal.ts";

const codec = structured();
const textOf = (value: unknown): string => new TextDecoder().decode(codec.encode(value));
const roundTrip = (value: unknown): unknown => codec.decode(codec.encode(value));
const read = (text: string): unknown => codec.decode(new TextEncoder().encode(text));

function sparse(length: number, items: Record<number, unknown>): unknown[] {
  return Object.assign([], { length }, items);
}

class Money {
  amount = 1;
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

describe("values that are refused by path", () => {
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("trap");
      },
    },
  );
  const values: Record<string, unknown> = {
    "a function": () => 1,
    "a class": Money,
    "a symbol": Symbol("s"),
    "a promise": Promise.resolve(1),
    "a WeakMap": new WeakMap(),
    "a WeakSet": new WeakSet(),
    "a WeakRef": new WeakRef({}),
    "a class instance": new Money(),
    "a subclass of Map": new (class Cache extends Map {})(),
    "a subclass of Error": new (class Failure extends Error {})("x"),
    "an accessor": Object.defineProperty({}, "a", { get: () => 1, enumerable: true }),
    "an accessor in an array": Object.defineProperty([1], 0, { get: () => 1, enumerable: true }),
    "a hidden property": Object.defineProperty({}, "a", { value: 1 }),
    "a symbol for a name": { [Symbol("s")]: 1 },
    "a property of an array": Object.assign([1], { extra: 1 }),
    "a property of a Map": Object.assign(new Map(), { extra: 1 }),
    "a property of a Date": Object.assign(new Date(0), { extra: 1 }),
    "a property of a typed array": Object.assign(new Uint8Array(2), { extra: 1 }),
    "a lone surrogate": "a\ud800b",
    "a lone surrogate in a key": { "\udc00": 1 },
    "a boxed number": Object(1),
    arguments: (function (..._all: unknown[]) {
      return arguments;
    })(1),
    "an impostor": Object.create(Date.prototype),
    "a Date in disguise": Object.setPrototypeOf(new Date(0), Object.prototype),
    "a plain object of another realm": runInNewContext("({ a: 1 })"),
    "a generator": (function* () {
      yield 1;
    })(),
    "an iterator": [1].values(),
    "shared memory": new Uint8Array(new SharedArrayBuffer(1)),
    "a proxy of a Map": new Proxy(new Map(), {}),
    "a proxy whose traps throw": throwing,
  };

  for (const [name, value] of Object.entries(values)) {
    test(`CODEC-7 ${name}`, () => {
      const error = refusal(() => codec.encode({ list: [0, value] }, { key: "page" }));
      expect(error.details.key).toBe("page");
      expect(error.message).toContain('key "page"');
      expect(error.details.path).toMatch(/^list\[1\]/);
    });
  }

  test("CODEC-7 two different views on the same bytes", () => {
    const bytes = new Uint8Array(8);
    for (const pair of [
      [bytes, bytes.subarray(0, 2)],
      [bytes.subarray(0, 2), bytes],
      [bytes.subarray(0, 4), bytes.subarray(3)],
      [bytes.subarray(2, 3), bytes.buffer],
    ]) {
      expect(refusal(() => codec.encode({ pair })).message).toMatch(/pair\[[01]\] shares bytes/);
    }
  });

  test("CODEC-7 a transferred buffer", () => {
    const bytes = new Uint8Array(4);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(refusal(() => codec.encode({ bytes })).details.path).toBe("bytes");
  });

  test("CODEC-7 a proxy that only passes on is written as what it shows", () => {
    expect(roundTrip(new Proxy({ a: 1 }, {}))).toStrictEqual({ a: 1 });
  });

  test("CODEC-7 getters are never run", () => {
    let runs = 0;
    const value = Object.defineProperty({}, "a", { get: () => runs++, enumerable: true });
    expect(refusal(() => codec.encode(value)).details.path).toBe("a");
    expect(runs).toBe(0);
  });

  test("CODEC-7 the path names Map entries, odd keys and causes", () => {
    expect(refusal(() => codec.encode(new Map([["a", { "b c": [Symbol("s")] }]]))).details.path).toBe(
      '<Map value 0>["b c"][0]',
    );
    expect(refusal(() => codec.encode(new Error("a", { cause: new Set([new Money()]) }))).details.path).toBe(
      "cause<Set item 0>",
    );
  });

  const channels: Record<string, unknown> = {
    "an async generator": (async function* () {
      yield 1;
    })(),
    "an object with an async iterator": { [Symbol.asyncIterator]: () => undefined },
    "a web ReadableStream": new ReadableStream(),
    "a web WritableStream": new WritableStream(),
    "a web TransformStream": new TransformStream(),
    "a Node Readable": Readable.from([]),
    "a Node Writable": new Writable(),
  };
  for (const [name, channel] of Object.entries(channels)) {
    test(`CODEC-10 ${name} is refused as a live channel wherever it hides`, () => {
      for (const hidden of [
        channel,
        [channel],
        { a: { b: channel } },
        new Map([[1, channel]]),
        new Set([channel]),
        new Error("x", { cause: channel }),
      ]) {
        expect(refusal(() => codec.encode(hidden)).details.reason).toContain("live channel");
      }
    });
  }
});

describe("limits", () => {
  const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
    let value: unknown = wrap(0);
    for (let level = 1; level < levels; level++) value = wrap(value);
    return value;
  };
  const wraps: Record<string, (inner: unknown) => unknown> = {
    arrays: (inner) => [inner],
    objects: (inner) => ({ a: inner }),
    maps: (inner) => new Map([[inner, 1]]),
    errors: (inner) => new Error("x", { cause: inner }),
  };

  for (const [name, wrap] of Object.entries(wraps)) {
    test(`CODEC-12 ${name} nested ${depthMax} deep pass, one more is refused with the figure`, () => {
      const value = nest(depthMax, wrap);
      expect(codec.encode(roundTrip(value))).toEqual(codec.encode(value));
      expect(refusal(() => codec.encode(nest(depthMax + 1, wrap))).message).toContain("depthMax");
      expect(refusal(() => codec.encode(nest(100_000, wrap))).message).toContain(String(depthMax));
    });
  }

  test("CODEC-12 bytes nested too deep are refused without overflowing the stack", () => {
    for (const [open, close] of [
      ["[0,", "]"],
      ['{"a":', "}"],
      ['["Map",1,', "]"],
      ['["Uint8Array",', "]"],
      ['["null",', "]"],
    ] as const) {
      const error = refusal(() => read(`${open.repeat(200_000)}1${close.repeat(200_000)}`));
      expect(error.details.reason).not.toContain("call stack");
    }
    expect(refusal(() => read("[".repeat(1_000_000))).code).toBe("PULSE_CODEC");
  });

  test("CODEC-12 a scalar inside the deepest container passes both ways", () => {
    for (const scalar of [undefined, 1n, Number.NaN, "x"]) {
      const value = nest(depthMax - 1, (inner) => [inner, scalar]);
      expect(codec.encode(roundTrip(value))).toEqual(codec.encode(value));
    }
  });

  test("V8 CODEC-12 a value that is too big is refused with the figure and the path at which it became so", () => {
    const part = "x".repeat(valueBytesMax / 4);
    const error = refusal(() => codec.encode({ a: part, b: { c: [part, part, part, part] } }, { key: "big" }));
    expect(error.details.path).toBe("b.c[2]");
    expect(error.message).toContain(String(valueBytesMax));
    expect(refusal(() => codec.encode({ data: new Uint8Array(valueBytesMax) })).details.path).toBe("data");
  });

  test("CODEC-6 an array of a million and more items, and one with a hole far inside", () => {
    const long = Array.from({ length: 1_000_001 }, () => 0);
    expect((roundTrip(long) as number[]).length).toBe(long.length);
    Reflect.deleteProperty(long, 900_000);
    expect(textOf(long).startsWith('["sparse",1000001,0,0,1,0')).toBe(true);
  });

  test("CODEC-12 bytes over the limit are refused before they are read", () => {
    expect(refusal(() => codec.decode(new Uint8Array(valueBytesMax + 1))).message).toContain("valueBytesMax");
  });
});

describe("any values", () => {
  const seed = Number(process.env["PULSE_SEED"] ?? 20_260_101);
  const text = fc.string({ unit: "binary", maxLength: 8 });
  const values = fc.anything({
    key: fc.oneof(text, fc.constantFrom("__proto__", "a.b", "", "constructor", "10", "9", "\u0000")),
    values: [fc.boolean(), fc.double(), fc.integer(), text, fc.constantFrom(null, undefined, -0, Number.NaN)],
    maxDepth: 4,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
  });

  test(`CODEC-6 any value comes back equal, with canonical bytes (seed ${seed})`, () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = codec.encode(value);
        const back = codec.decode(bytes);
        expect(firstDifference(value, back)).toBeUndefined();
        expect(codec.encode(back)).toEqual(bytes);
      }),
      { seed, numRuns: 500 },
    );
  });

  test(`CODEC-6 any graph of objects keeps its identities (seed ${seed})`, () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.constantFrom("a", "b", "c")), { maxLength: 20 });
    fc.assert(
      fc.property(
        edges,
        fc.array(fc.constantFrom("object", "array", "map", "set"), { minLength: 8, maxLength: 8 }),
        (links, kinds) => {
          const nodes = kinds.map((kind) =>
            kind === "object" ? {} : kind === "array" ? [] : kind === "map" ? new Map() : new Set(),
          );
          for (const [from, to, name] of links) link(nodes[from], nodes[to], name);
          expect(firstDifference(nodes, roundTrip(nodes))).toBeUndefined();
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  test(`CODEC-14 any bytes are refused or are the only ones for their value (seed ${seed})`, () => {
    const shaped = fc.json().map((json) => new TextEncoder().encode(json));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 20 }), shaped), (bytes) => {
        // Refused, or written again byte for byte.
        expect(unlessRefused(() => codec.encode(codec.decode(bytes)), bytes)).toEqual(bytes);
      }),
      { seed, numRuns: 500 },
    );
  });

  function link(from: unknown, to: unknown, name: string): void {
    if (from instanceof Map) from.set(to, name === "a" ? to : name);
    else if (from instanceof Set) from.add(to);
    else if (Array.isArray(from)) from.push(to);
    else (from as Record<string, unknown>)[name] = to;
  }
});
