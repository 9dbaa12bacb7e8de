import type { Place } from "./place.ts";
import { readStructured } from "./structured-read.ts";
import { alternativesWay, fieldPlan, needsStructured, type ObjectPlan, type WirePlan } from "./wire-plan.ts";

/**
 * The input of a schema, from the JSON that `writeWire` wrote; objects of `parsed` are used for it. Refuses fields that the schema
 * does not know (CODEC-8). The caller proves the rest by writing the result again.
 */
export function readWire(plan: WirePlan, parsed: unknown, place: Place): unknown {
  switch (plan.kind) {
    case "scalar":
      return typeof parsed === "object" && parsed !== null ? place.refuse("the schema takes no object here") : parsed;
    case "structured":
      return readStructured(parsed, place);
    case "nullable":
      return parsed === null ? null : readWire(plan.inner, parsed, place);
    case "optional":
      if (needsStructured(plan.inner)) return readStructured(parsed, place);
      return isEscapedUndefined(parsed) ? undefined : readWire(plan.inner, parsed, place);
    case "same":
      return plan.target === undefined
        ? place.refuse("the schema refers to nothing but itself")
        : readWire(plan.target, parsed, place);
    case "codec":
      if (typeof parsed !== "string") place.refuse("the bytes of a codec were expected, in base64");
      return place.parts.read(plan.codec, parsed, place);
    case "alternatives":
      if (alternativesWay(plan) === "structured") return readStructured(parsed, place);
      if (Array.isArray(parsed) && alternativesWay(plan) === "escape") return readEscaped(parsed, place);
      return checkDepth(parsed, place);
    case "array":
      return readItems(parsed, () => plan.item, place);
    case "tuple":
      return readItems(parsed, (index) => plan.items[index] ?? plan.rest, place);
    case "object":
    case "record":
      return readFields(plan, parsed, place);
  }
}

function isEscapedUndefined(parsed: unknown): boolean {
  return Array.isArray(parsed) && parsed.length === 1 && Array.isArray(parsed[0]) && parsed[0][0] === "undefined";
}

function readEscaped(parsed: readonly unknown[], place: Place): unknown {
  if (parsed.length !== 1) place.refuse("the schema takes no array here");
  return readStructured(parsed[0], place);
}

/** Plain JSON stays as it is parsed; only its depth, and a name that zod would drop without a word, are looked at. */
function checkDepth(parsed: unknown, place: Place): unknown {
  if (typeof parsed !== "object" || parsed === null) return parsed;
  place.openContainer();
  for (const [name, part] of Object.entries(parsed)) {
    if (typeof part !== "object" || part === null) continue;
    place.enter(Array.isArray(parsed) ? Number(name) : name);
    checkDepth(part, place);
    place.leave();
  }
  return parsed;
}

function readItems(parsed: unknown, planAt: (index: number) => WirePlan | undefined, place: Place): unknown {
  if (!Array.isArray(parsed)) place.refuse("the schema expects an array here");
  place.openContainer();
  for (let index = 0; index < parsed.length; index++) {
    place.enter(index);
    const plan = planAt(index) ?? place.refuse("the schema has no place for this item");
    parsed[index] = readWire(plan, parsed[index], place);
    place.leave();
  }
  return parsed;
}

function readFields(plan: ObjectPlan | Extract<WirePlan, { kind: "record" }>, parsed: unknown, place: Place): unknown {
  if (typeof parsed !== "object" || parsed === null) place.refuse("the schema expects an object here");
  if (Array.isArray(parsed)) return readEscaped(parsed, place);
  place.openContainer();
  const fields = parsed as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    place.enter(name);
    if (name === "__proto__") place.refuse('zod drops a field named "__proto__" without a word');
    const field = plan.kind === "record" ? plan.value : fieldPlan(plan, name);
    if (field === undefined) place.refuse("the schema knows no such field");
    fields[name] = readWire(field.kind === "optional" ? field.inner : field, fields[name], place);
    place.leave();
  }
  return fields;
}
