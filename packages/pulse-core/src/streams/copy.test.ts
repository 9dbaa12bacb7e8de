import fc from "fast-check";
import { expect, test } from "vitest";
import { copyOf } from "./copy.ts";

test("STR-18 a copy of plain data is equal to it and shares no object with it", () => {
  const options = {
    withMap: true,
    withSet: true,
    withDate: true,
    withTypedArray: true,
    withBigInt: true,
    withSparseArray: true,
  };
  fc.assert(
    fc.property(fc.anything({ ...options, withNullPrototype: true }), (value) => {
      const copy = copyOf(value);
      expect(copy).toStrictEqual(value);
      const own = new Set(objectsIn(value));
      expect(objectsIn(copy).filter((each) => own.has(each))).toEqual([]);
    }),
  );
});

test("STR-18 rings and shared parts are copied as such, and any depth", () => {
  const shared = { n: 1 };
  const ring: Record<string, unknown> = { shared, list: [shared], ["__proto__"]: 1 };
  Object.defineProperty(ring, "__proto__", { value: shared, enumerable: true, configurable: true, writable: true });
  ring["self"] = ring;
  const copy = copyOf(ring);
  expect(copy["self"]).toBe(copy);
  expect((copy["list"] as unknown[])[0]).toBe(copy["shared"]);
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toBe(copy["shared"]);
  expect(copy["shared"]).not.toBe(shared);
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level++) deep = [deep];
  expect(copyOf(deep) === deep).toBe(false);
});

class Money {
  readonly cents = 5;
}
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

test.each([
  ["an instance of a class", new Money()],
  ["an instance of a class of bytes", new (class Bytes extends Uint8Array {})(3)],
  ["an error", Object.assign(new Error("e"), { orderId: 7 })],
  ["a function", () => 1],
  [
    "an object with a getter",
    {
      get x() {
        return 1;
      },
    },
  ],
  ["an object with a symbol", { [Symbol("s")]: 1 }],
  ["a map with fields of its own", Object.assign(new Map([[1, 2]]), { name: "own" })],
  ["a proxy of a map", new Proxy(new Map([[1, 2]]), {})],
  ["a proxy that cannot be looked into", revoked()],
])("CODEC-7 %s is given as it is, for whoever records it to refuse", (_name, value) => {
  expect(copyOf({ value }).value === value).toBe(true);
});

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const inner =
    value instanceof Map
      ? [...value].flat()
      : value instanceof Set
        ? [...value]
        : ArrayBuffer.isView(value)
          ? []
          : Object.values(value);
  return [value, ...inner.flatMap(objectsIn)];
}
