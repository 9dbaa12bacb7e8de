import { type } from "@pulse-ts/core";
import * as z from "zod";
import {
  bigintType,
  booleanType,
  bytesType,
  compress,
  createCodecs,
  dateType,
  encrypt,
  json,
  keyRing,
  nullType,
  numberType,
  stringType,
  structured,
  urlType,
  type Codec,
} from "../index.ts";

/** A value and the codec that its bytes were written with. */
export interface StoredValue {
  readonly codec: Codec;
  readonly value: unknown;
  /** True where bytes differ from one encoding to the next, or between versions of zlib: then they are only read. */
  readonly varies?: boolean;
}

const codecs = createCodecs();
const scalar = (token: Parameters<typeof codecs.forType>[0], value: unknown): StoredValue => ({
  codec: codecs.forType(token, "value"),
  value,
});

const order = z.object({
  id: z.int(),
  note: z.string().optional(),
  at: z.date(),
  total: z.bigint(),
  lines: z.array(z.tuple([z.string(), z.number()])),
  tags: z.set(z.string()),
  by: z.record(z.string(), z.union([z.string(), z.int(), z.undefined()])),
  link: z.codec(z.url(), z.instanceof(URL), { decode: (text) => new URL(text), encode: (url) => url.href }),
  more: z.unknown(),
});
const orderValue = {
  id: 7,
  note: "tück\u2028isch 😀",
  at: new Date(1_700_000_000_000),
  total: 12345678901234567890n,
  lines: [
    ["a", -0],
    ["b", 1e21],
  ],
  tags: new Set(["x", "y"]),
  by: { a: "text", b: 5, c: undefined },
  link: new URL("https://example.org/a?b#c"),
  more: new Map([[1, Number.NaN]]),
};

function shared(): unknown {
  const twice = { at: new Date(Number.NaN) };
  const value: Record<string, unknown> = {
    twice,
    again: twice,
    error: new RangeError("far", { cause: Object.assign(new Array(3), { 0: 1, 2: 3 }) }),
  };
  value["self"] = value;
  value["bytes"] = new Uint16Array([1, 65_535]);
  value["bare"] = Object.assign(Object.create(null) as object, { pattern: /a\/b/giu, undefined: undefined });
  return value;
}

const other = {
  "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) },
} as const;
const ring = keyRing({
  keys: { "2026-01": new Uint8Array(32).fill(7), "2026-02": new Uint8Array(32).fill(8) },
  current: "2026-01",
});
const pin = z.string().length(4);
const withPin = createCodecs();
withPin.register(encrypt(json(pin, { id: "pin", version: "1" }), ring));

/** One value and more for each built-in codec, by the name that its bytes have in `fixtures/stored-1.json`. */
export const storedValues: Readonly<Record<string, StoredValue>> = {
  string: scalar(stringType, 'tück\n"isch" 😀'),
  "string, empty": scalar(stringType, ""),
  number: scalar(numberType, -1.5e-7),
  "number, negative zero": scalar(numberType, -0),
  "number, NaN": scalar(numberType, Number.NaN),
  boolean: scalar(booleanType, true),
  bigint: scalar(bigintType, -(2n ** 70n)),
  null: scalar(nullType, null),
  Date: scalar(dateType, new Date(-1)),
  "Date, invalid": scalar(dateType, new Date(Number.NaN)),
  URL: scalar(urlType, new URL("https://user@example.org:8080/ä?q=1#top")),
  bytes: scalar(bytesType, Uint8Array.of(0, 10, 255)),
  structured: { codec: structured(), value: shared() },
  "structured, plain": scalar(type("plain"), { b: [1, "two", null], a: { ["__proto__"]: true } }),
  "zod, automatic": scalar(order, orderValue),
  json: { codec: json(order, { id: "order", version: "1" }) as Codec, value: orderValue },
  "standard schema": scalar(other, { a: [1n] }),
  "compress, as it is": { codec: compress(structured()) as Codec, value: "short" },
  "compress, deflated": { codec: compress(structured()) as Codec, value: "long ".repeat(200), varies: true },
  encrypt: { codec: encrypt(structured(), ring), value: { pin: "1234" }, varies: true },
  "encrypt around compress": { codec: encrypt(compress(structured()), ring), value: "long ".repeat(200), varies: true },
  "encrypt, a part": {
    codec: withPin.forType(z.object({ pin, name: z.string() }), "value"),
    value: { pin: "1234", name: "ada" },
    varies: true,
  },
};
