import { compress, createCodecs, encrypt, json, keyRing, structured } from "@pulse-ts/codec";
import type { Codecs, KeySource } from "@pulse-ts/codec";
import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import { z } from "zod";
import { marked } from "./traces.ts";

/** Texts that are in nothing but what is encrypted here. */
export const texts = {
  pin: 'pin-7318-"tück\\isch"-4929',
  card: "card-4929731811112222",
  note: "note-žluťoučký-kůň-\u2028-end",
  field: "field.name-that-is-secret-itself",
  fixed: "fixed-value-0451",
  replaced: "replaced-value-8888",
  made: `made-by-a-body-5150 ${"made-by-a-body-5150 ".repeat(40)}`.trim(),
} as const;

export const secrets = Object.entries({ ...texts, made: "made-by-a-body-5150" }).map(([name, text]) =>
  marked(name, text),
);

const pinType = type<string>("pin");
/** Its own words quote what they refuse. */
const cardSchema = z.record(
  z.string().refine((name) => name !== "forbidden", { error: ({ input }) => `no such field: ${String(input)}` }),
  z.string({ error: ({ input }) => `no text: ${JSON.stringify(input)}` }).startsWith("card-", {
    error: ({ input }) => `not a card: ${String(input)}`,
  }),
);
const noteSchema = z
  .string()
  .refine((note) => note.length < 200, { error: ({ input }) => `too long: ${String(input)}` });

export const pin = key("pin", pinType);
export const card = key("card", cardSchema);
export const order = key("order", z.object({ id: z.string(), notes: z.array(noteSchema) }));
const made = key("made", pinType);
const cards = key("cards", z.array(cardSchema));
const ordered = key("ordered", z.object({ order: order.type }));
const inside = key("inside", pinType);
const passed = key("passed", pinType);
const replaced = key("replaced", pinType);
export const done = key("done", z.string());

/** How a run goes; the same graph for all of them. */
export interface Ways {
  /** What the last body does with its secrets. */
  last(secrets: Readonly<Record<string, unknown>>): string;
  readonly fixed?: string;
  /** What a body makes that cannot be stored. */
  readonly made?: unknown;
}

/** Encrypted inputs, fixed values, outputs, overrides, values in `in` and `out`, parts of other values, retried bodies. */
export function secretGraph({ last, fixed = texts.fixed, made: madeHere = texts.made }: Ways) {
  const child = graph("child", {
    inputs: [pin, inside],
    outputs: [inside],
    nodes: [node("look", { requires: [pin, inside] }, () => {})],
  });
  return graph("secret", {
    inputs: [pin, card, order],
    outputs: [done, made, cards, ordered],
    nodes: [
      node("make", { requires: [pin, card, order], provides: [made, cards, ordered] }, ({ card, order }) => ({
        // Of another type than it says, where a body is to break its word.
        made: madeHere as string,
        cards: [card, card],
        ordered: { order },
      })),
      node("replaced", { requires: [made], provides: [replaced] }, () => ({ replaced: texts.made })),
      mount("child", child, { fix: { pin: fixed }, in: { inside: made }, out: { inside: passed } }),
      node(
        "last",
        {
          requires: [pin, card, order, made, passed, replaced],
          provides: [done],
          aspects: [retry({ limit: 2, delay: 0 })],
        },
        ({ pin, card, order, made, passed, replaced }) => ({
          done: last({ pin, card, order, made, passed, replaced }),
        }),
      ),
    ],
  });
}

export const inputs = {
  pin: texts.pin,
  card: { [texts.field]: texts.card },
  order: { id: "order-7", notes: [texts.note] },
};

export const overrides = { keys: { replaced: texts.replaced } };

/** A registry in which all that is secret is encrypted with this ring: whole, compressed first, as a part of other values. */
export function encrypting(keys: Readonly<Record<string, KeySource>>, current: string): Codecs {
  const ring = keyRing({ keys, current });
  const codecs = createCodecs();
  codecs.register(encrypt(compress(structured(pinType, { id: "pin" })), ring));
  codecs.register(encrypt(json(cardSchema, { id: "card", version: "1" }), ring));
  codecs.register(encrypt(codecs.forType(noteSchema, "note"), ring));
  return codecs;
}
