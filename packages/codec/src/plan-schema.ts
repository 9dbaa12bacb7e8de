import type * as z from "zod/v4/core";
import { isEncrypting, type Codec, type FingerprintKey } from "./codec.ts";
import { codecError } from "./errors.ts";
import { containsSchema } from "./find-schema.ts";
import { formatPath, type Step } from "./place.ts";
import { findMisplacedCodec, type SamePlan, type WirePlan } from "./wire-plan.ts";

/** The deepest that schemas may stand in one another. A schema that makes new schemas without an end is refused there. */
export const schemaDepthMax = 500;

/** What is known of a zod schema before any value is. */
export interface SchemaPlan {
  readonly wire: WirePlan;
  /**
   * True when the schema runs code of the user that decides what is written (codecs, overwrites), or replaces input
   * (defaults, catches, coercion, unions that strip). Then decoding proves its bytes by encoding again (CODEC-14).
   */
  readonly indirect: boolean;
  /** True when user code decides what is written: encoding then also proves that the bytes decode. */
  readonly custom: boolean;
  /** True when a part has a codec whose bytes differ for equal values; so do those of the whole (CODEC-19). */
  readonly varies: boolean;
  /** Of the parts that are encrypted. */
  readonly fingerprintKeys: readonly FingerprintKey[];
}

/** Finds the codec that was registered for a schema that stands inside another one. */
export type FindCodec = (schema: z.$ZodType) => Codec | undefined;

/**
 * Plans how the values of a schema are written.
 * @throws PULSE_CODEC by key and path for what has no way back: one-way transforms, functions, symbols, promises, files,
 * `custom` and `instanceof` without a codec of their own (CODEC-15).
 */
export function planSchema(schema: z.$ZodType, key: string | undefined, findCodec: FindCodec): SchemaPlan {
  const planner = new Planner(key, findCodec);
  const wire = planner.plan(schema);
  const misplaced = findMisplacedCodec(wire);
  if (misplaced !== undefined) {
    throw codecError({
      action: "prepare",
      key,
      path: misplaced,
      reason:
        "a schema with a codec of its own cannot stand in a union, an intersection, a Map, a Set or an optional item",
    });
  }
  const { indirect, custom, varies, fingerprintKeys } = planner;
  return { wire, indirect, custom, varies, fingerprintKeys: [...fingerprintKeys.values()] };
}

const structuredPlace: WirePlan = { kind: "structured", around: [] };

class Planner {
  readonly #key: string | undefined;
  readonly #findCodec: FindCodec;
  readonly #plans = new Map<z.$ZodType, WirePlan>();
  readonly #steps: Step[] = [];
  #depth = 0;
  indirect = false;
  custom = false;
  varies = false;
  readonly fingerprintKeys = new Map<string, FingerprintKey>();

  constructor(key: string | undefined, findCodec: FindCodec) {
    this.#key = key;
    this.#findCodec = findCodec;
  }

  plan(schema: z.$ZodType): WirePlan {
    const known = this.#plans.get(schema);
    if (known !== undefined) return known;
    if (this.#depth >= schemaDepthMax)
      this.#refuse(`the schema is nested deeper than ${schemaDepthMax} levels, or makes new schemas without an end`);
    const registered = this.#depth === 0 ? undefined : this.#findCodec(schema);
    if (registered !== undefined) return this.#planPart(registered);
    this.#refuseDerived(schema);
    // Stands for the schema while it is planned: a recursive schema meets itself.
    const forward: SamePlan = { kind: "same", target: undefined, turned: false };
    this.#plans.set(schema, forward);
    this.#depth++;
    const plan = this.#planNew(schema as z.$ZodTypes);
    this.#depth--;
    forward.target = plan;
    this.#plans.set(schema, plan);
    return plan;
  }

  #planPart(codec: Codec): WirePlan {
    this.varies ||= codec.fingerprintsBytes !== true;
    for (const key of codec.fingerprintKeys ?? []) this.fingerprintKeys.set(key.codecId, key);
    return { kind: "codec", codec, at: formatPath(this.#steps) };
  }

  /** `pin.min(4)` is another schema than `pin`: that its values are written in clear would go unnoticed (CODEC-11). */
  #refuseDerived(schema: z.$ZodType): void {
    for (let parent = schema._zod.parent; parent !== undefined; parent = parent._zod.parent) {
      const codec = this.#findCodec(parent);
      if (codec !== undefined && isEncrypting(codec)) {
        this.#refuse(
          `the schema was made from one whose values are encrypted (by codec "${codec.id}"), but codecs go by the very schema: register an encrypting codec for this one, or use the other`,
        );
      }
    }
  }

  /** Refuses an encrypted schema where its codec would not be asked, so that its values would be written in clear (CODEC-11). */
  #refuseBypassed(schema: unknown, where: string): void {
    const encrypted = (candidate: object): boolean => {
      const codec = this.#findCodec(candidate as z.$ZodType);
      return codec !== undefined && isEncrypting(codec);
    };
    if (containsSchema(schema, encrypted)) {
      this.#refuse(
        `a schema whose values are encrypted stands ${where}, where they would be written in clear; encrypt the whole instead`,
      );
    }
  }

  #inside(step: Step, schema: z.$ZodType): WirePlan {
    this.#steps.push(step);
    const plan = this.plan(schema);
    this.#steps.pop();
    return plan;
  }

  #refuse(reason: string): never {
    throw codecError({ action: "prepare", key: this.#key, path: formatPath(this.#steps), reason });
  }

  #noteChecks(schema: z.$ZodTypes): void {
    const def = schema._zod.def as z.$ZodTypeDef & { readonly coerce?: boolean };
    if (def.coerce === true) this.indirect = true;
    for (const check of def.checks ?? []) {
      if (check._zod.def.check === "overwrite") this.indirect = this.custom = true;
    }
  }

  #planNew(schema: z.$ZodTypes): WirePlan {
    this.#noteChecks(schema);
    const def = schema._zod.def;
    switch (def.type) {
      case "string":
      case "number":
      case "boolean":
      case "null":
      case "enum":
      case "nan":
        return { kind: "scalar" };
      case "template_literal":
        this.#refuseBypassed(def.parts, "in a template literal");
        return { kind: "scalar" };
      case "literal":
        return def.values.some((value) => typeof value === "bigint" || value === undefined)
          ? structuredPlace
          : { kind: "scalar" };
      case "any":
      case "unknown":
      case "date":
      case "bigint":
      case "undefined":
      case "void":
      case "never":
        return structuredPlace;
      case "map":
        return {
          kind: "structured",
          around: [
            this.#inside({ inside: "Map key" }, def.keyType),
            this.#inside({ inside: "Map value" }, def.valueType),
          ],
        };
      case "set":
        return { kind: "structured", around: [this.#inside({ inside: "Set item" }, def.valueType)] };
      case "object":
        return this.#planObject(def);
      case "record":
        this.#inside({ inside: "key" }, def.keyType);
        this.#refuseBypassed(def.keyType, "at the keys of a record");
        return { kind: "record", value: this.#inside({ inside: "value" }, def.valueType) };
      case "array":
        return { kind: "array", item: this.#inside({ inside: "item" }, def.element) };
      case "tuple":
        return this.#planTuple(def);
      case "union":
        this.indirect = true;
        return { kind: "alternatives", parts: def.options.map((option) => this.plan(option)), way: undefined };
      case "intersection":
        this.indirect = true;
        return { kind: "alternatives", parts: [this.plan(def.left), this.plan(def.right)], way: undefined };
      case "optional":
        return { kind: "optional", inner: this.plan(def.innerType) };
      case "nullable":
        return { kind: "nullable", inner: this.plan(def.innerType) };
      case "default":
      case "prefault":
      case "catch":
        this.indirect = true;
        return this.plan(def.innerType);
      case "nonoptional":
      case "readonly":
        return this.plan(def.innerType);
      case "lazy":
        return this.plan((schema as z.$ZodLazy)._zod.innerType);
      case "pipe":
        return this.#planPipe(def);
      case "transform":
      case "success":
        return this.#refuse("a one-way transform cannot be undone; use z.codec(), which goes both ways");
      case "custom":
        return this.#refuse(
          "z.custom() and z.instanceof() do not say how to write a value; register a codec for this very schema, or use z.codec()",
        );
      case "function":
      case "symbol":
      case "promise":
      case "file":
        return this.#refuse(`a ${def.type} cannot be stored`);
      default:
        return this.#refuse(`this kind of schema is unknown: ${String((def as { readonly type: unknown }).type)}`);
    }
  }

  #planObject(def: z.$ZodObjectDef): WirePlan {
    const fields = new Map<string, WirePlan>();
    for (const [name, field] of Object.entries(def.shape)) {
      if (name === "__proto__") this.#refuse('zod drops a field named "__proto__" without a word');
      fields.set(name, this.#inside(name, field));
    }
    const { catchall } = def;
    const closed = catchall === undefined || catchall._zod.def.type === "never";
    return { kind: "object", fields, rest: closed ? undefined : this.#inside({ inside: "other fields" }, catchall) };
  }

  #planTuple(def: z.$ZodTupleDef): WirePlan {
    const items = def.items.map((item, index) => this.#inside(index, item));
    const rest = def.rest === null ? undefined : this.#inside({ inside: "rest" }, def.rest);
    return { kind: "tuple", items, rest };
  }

  #planPipe(def: z.$ZodPipeDef): WirePlan {
    const { transform, reverseTransform } = def as Partial<z.$ZodCodecDef>;
    if (transform !== undefined && reverseTransform !== undefined) {
      // A codec of its own: what stands on its output side is no matter of ours.
      this.indirect = this.custom = true;
      return { kind: "same", target: this.#planWritten(def), turned: true };
    }
    const wire = this.#planWritten(def);
    this.plan(def.out);
    return wire;
  }

  /** What goes in is written; what comes out is made of it again. */
  #planWritten(def: z.$ZodPipeDef): WirePlan {
    const wire = this.plan(def.in);
    const encrypted = wire.kind === "codec" && isEncrypting(wire.codec);
    if (!encrypted) this.#refuseBypassed(def.out, "at the output of a pipe or a z.codec()");
    return wire;
  }
}
