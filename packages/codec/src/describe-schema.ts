import type * as z from "zod/v4/core";
import { canonicalJson } from "./canonical.ts";
import { codecError } from "./errors.ts";
import { sha256Hex } from "./fingerprint.ts";
import { schemaDepthMax, type FindCodec } from "./plan-schema.ts";

/** What a description is made of: JSON. */
export type Description =
  | string
  | number
  | boolean
  | null
  | readonly Description[]
  | { readonly [name: string]: Description };

/**
 * A description of a zod schema that we write ourselves, so that it changes with the schema and not with zod's version (CODEC-5): kinds, fields,
 * checks, optionality, enums, recursively. Not part of it, because it cannot be told or does not matter to stored values: the code of refinements, transforms
 * and codecs, default values, messages, names and other metadata, the order of fields.
 * @throws PULSE_CODEC when the schema is nested deeper than `schemaDepthMax`.
 */
export function describeSchema(schema: z.$ZodType, findCodec: FindCodec = () => undefined): Description {
  return new Describer(findCodec).describe(schema);
}

/** The hash of a schema's description, which names its automatic codec. */
export function schemaHash(schema: z.$ZodType, findCodec?: FindCodec): string {
  return sha256Hex(canonicalJson(describeSchema(schema, findCodec)));
}

/** A described schema, and the outermost schema on the path that it refers back to. */
interface Known {
  readonly description: Description;
  readonly reachesUpTo: number;
}

class Describer {
  readonly #findCodec: FindCodec;
  /** The schemas around the one that is described, with their levels: a recursive schema refers to one of them. */
  readonly #levels = new Map<z.$ZodType, number>();
  /** Descriptions that refer to nothing outside themselves: they are the same wherever the schema stands. */
  readonly #closed = new Map<z.$ZodType, Description>();
  #reachesUpTo = Infinity;

  constructor(findCodec: FindCodec) {
    this.#findCodec = findCodec;
  }

  describe(schema: z.$ZodType): Description {
    const level = this.#levels.size;
    const around = this.#levels.get(schema);
    if (around !== undefined) {
      this.#reachesUpTo = Math.min(this.#reachesUpTo, around);
      // Counted from here upward, so that the description does not depend on where the recursion stands.
      return { up: level - around };
    }
    const closed = this.#closed.get(schema);
    if (closed !== undefined) return closed;
    if (level >= schemaDepthMax) {
      const reason = `the schema is nested deeper than ${schemaDepthMax} levels, or makes new schemas without an end`;
      throw codecError({ action: "prepare", key: undefined, path: "", reason });
    }
    const { description, reachesUpTo } = this.#describeInside(schema, level);
    if (reachesUpTo < level) {
      this.#reachesUpTo = Math.min(this.#reachesUpTo, reachesUpTo);
      return description;
    }
    const short = level === 0 ? description : shorten(description);
    this.#closed.set(schema, short);
    return short;
  }

  #describeInside(schema: z.$ZodType, level: number): Known {
    const before = this.#reachesUpTo;
    this.#reachesUpTo = Infinity;
    this.#levels.set(schema, level);
    const description = this.#describeNew(schema, level);
    this.#levels.delete(schema);
    const reachesUpTo = this.#reachesUpTo;
    this.#reachesUpTo = before;
    return { description, reachesUpTo };
  }

  #describeNew(schema: z.$ZodType, level: number): Description {
    const registered = level === 0 ? undefined : this.#findCodec(schema);
    if (registered !== undefined) return { kind: "codec", id: registered.id, version: registered.version };
    const known = schema as z.$ZodTypes;
    const kind = known._zod.def.type;
    const checks = describeChecks(schema, (part) => this.describe(part));
    const shape = this.#shape(known);
    return checks.length === 0 ? { kind, ...shape } : { kind, ...shape, checks };
  }

  #all(schemas: readonly z.$ZodType[]): Description[] {
    return schemas.map((schema) => this.describe(schema));
  }

  #shape(schema: z.$ZodTypes): { readonly [name: string]: Description } {
    const def = schema._zod.def;
    switch (def.type) {
      case "object":
        return this.#object(def);
      case "record": {
        const { mode = "strict", partial = false } = def as z.$ZodRecordDef & {
          readonly mode?: string;
          readonly partial?: boolean;
        };
        return {
          key: this.describe(def.keyType),
          value: this.describe(def.valueType),
          mode,
          partial,
        };
      }
      case "array":
        return { item: this.describe(def.element) };
      case "tuple":
        return {
          items: this.#all(def.items),
          rest: def.rest === null ? null : this.describe(def.rest),
        };
      case "map":
        return { key: this.describe(def.keyType), value: this.describe(def.valueType) };
      case "set":
        return { item: this.describe(def.valueType) };
      case "union": {
        const { discriminator = null } = def as Partial<z.$ZodDiscriminatedUnionDef>;
        // The first option that fits is taken, so their order is part of the schema.
        return {
          options: this.#all(def.options),
          discriminator,
          exclusive: def.inclusive === false && discriminator === null,
        };
      }
      case "intersection":
        return { left: this.describe(def.left), right: this.describe(def.right) };
      case "enum":
        return { values: sortedScalars(Object.values(def.entries)) };
      case "literal":
        return { values: sortedScalars(def.values) };
      case "template_literal":
        return { parts: def.parts.map((part) => (isSchema(part) ? this.describe(part) : scalar(part))) };
      case "pipe": {
        const { reverseTransform } = def as Partial<z.$ZodCodecDef>;
        return {
          in: this.describe(def.in),
          out: this.describe(def.out),
          codec: reverseTransform !== undefined,
        };
      }
      case "lazy":
        return { inner: this.describe((schema as z.$ZodLazy)._zod.innerType) };
      case "optional": {
        const exact = schema._zod.traits.has("$ZodExactOptional");
        return { inner: this.describe(def.innerType), exact };
      }
      case "nullable":
      case "nonoptional":
      case "default":
      case "prefault":
      case "catch":
      case "readonly":
      case "success":
      case "promise":
        return { inner: this.describe(def.innerType) };
      case "string":
      case "number":
      case "bigint":
      case "boolean":
      case "date":
        return (def as { readonly coerce?: boolean }).coerce === true ? { coerce: true } : {};
      default:
        return {};
    }
  }

  #object(def: z.$ZodObjectDef): { readonly [name: string]: Description } {
    const fields = Object.entries(def.shape).map(([name, field]): Description => [name, this.describe(field)]);
    fields.sort(byText);
    return { fields, others: def.catchall === undefined ? "dropped" : this.describe(def.catchall) };
  }
}

/** Described parts that stand in many places would make a description grow without measure. */
function shorten(description: Description): Description {
  const text = canonicalJson(description);
  return text.length <= 200 ? description : { hash: sha256Hex(text) };
}

function isSchema(part: unknown): part is z.$ZodType {
  return typeof part === "object" && part !== null && "_zod" in part;
}

const byText = (left: Description, right: Description): number => {
  const [a, b] = [canonicalJson(left), canonicalJson(right)];
  return a < b ? -1 : a > b ? 1 : 0;
};

function sortedScalars(values: readonly unknown[]): Description[] {
  return [...new Set(values)].map(scalar).sort(byText);
}

/** A value inside a schema, with its type where JSON has none for it. */
function scalar(value: unknown): Description {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Date) return { date: String(value.getTime()) };
  if (value instanceof RegExp) return { pattern: value.source, flags: value.flags };
  if (typeof value === "bigint" || typeof value === "number") return { [typeof value]: String(value) };
  return { [typeof value]: "" };
}

/** The facts of a check that decide what it lets through, by the names that zod gives them. Patterns only count where the user wrote them. */
const checkFacts = [
  "value",
  "inclusive",
  "minimum",
  "maximum",
  "size",
  "length",
  "format",
  "version",
  "prefix",
  "suffix",
  "includes",
  "position",
  "hostname",
  "protocol",
  "normalize",
  "precision",
  "offset",
  "local",
  "alg",
  "delimiter",
  "property",
  "mime",
] as const;

function describeChecks(schema: z.$ZodType, describe: (schema: z.$ZodType) => Description): Description[] {
  const { def } = schema._zod;
  const own =
    "check" in def && typeof def.check === "string" && def.type !== "custom" ? [describeCheck(def, describe)] : [];
  return [...own, ...(def.checks ?? []).map((check) => describeCheck(check._zod.def, describe))];
}

function describeCheck(def: object, describe: (schema: z.$ZodType) => Description): Description {
  const facts = def as Readonly<Record<string, unknown>>;
  const described: Record<string, Description> = { check: scalar(facts["check"]) };
  for (const name of checkFacts) {
    const fact = facts[name];
    if (fact === undefined || fact === null) continue;
    described[name] = Array.isArray(fact) ? fact.map(scalar) : scalar(fact);
  }
  // Zod's own patterns (of emails, dates, …) change with its versions; their format's name stands for them.
  if (facts["format"] === "regex") described["pattern"] = scalar(facts["pattern"]);
  if (isSchema(facts["schema"])) described["schema"] = describe(facts["schema"]);
  const shape = facts["shape"];
  if (typeof shape === "object" && shape !== null) {
    described["shape"] = Object.entries(shape)
      .map(([name, part]): Description => [name, isSchema(part) ? describe(part) : null])
      .sort(byText);
  }
  return described;
}
