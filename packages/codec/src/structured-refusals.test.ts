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

class Money {
  amount = 1;
}

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
