import { dataValue, JsonWriter, numberText, sortedKeys, stringText } from "./canonical.ts";
import type { Codec } from "./codec.ts";
import type { Place } from "./place.ts";
import { writeStructured } from "./structured-write.ts";
import { whatIsIt } from "./what-is-it.ts";
import {
  alternativesWay,
  fieldPlan,
  mayHoldAnything,
  needsStructured,
  type AlternativesPlan,
  type WirePlan,
} from "./wire-plan.ts";

/** Writes what a schema made of a value as canonical JSON, place by place (CODEC-5, CODEC-8). */
export function writeWire(plan: WirePlan, value: unknown, place: Place): string {
  switch (plan.kind) {
    case "scalar":
      return writeScalar(value, place);
    case "structured":
      return writeStructured(value, place);
    case "nullable":
      return value === null ? "null" : writeWire(plan.inner, value, place);
    case "optional":
      return writeOptional(plan.inner, value, place);
    case "same":
      // Set before any value is written: the planner fills it when it leaves the schema.
      return plan.target === undefined
        ? place.refuse("the schema refers to nothing but itself")
        : writeWire(plan.target, value, place);
    case "codec":
      return writePart(plan.codec, value, place);
    case "alternatives":
      return writeAlternatives(plan, value, place);
    case "array":
      return writeItems(value, () => plan.item, place);
    case "tuple":
      return writeItems(value, (index) => plan.items[index] ?? plan.rest, place);
    case "object":
      return writeFields(value, (name) => fieldPlan(plan, name), place);
    case "record":
      return writeFields(value, () => plan.value, place);
  }
}

function writePart(codec: Codec, value: unknown, place: Place): string {
  const text = place.parts.write(codec, value, place);
  place.spend(text.length);
  return text;
}

/** One item, which is no JSON that could stand here otherwise. */
function escape(value: unknown, place: Place): string {
  return `[${writeStructured(value, place)}]`;
}

function writeScalar(value: unknown, place: Place): string {
  let text: string;
  if (typeof value === "string") text = stringText(value, place);
  else if (typeof value === "number") text = numberText(value, place);
  else if (typeof value === "boolean" || value === null) text = String(value);
  else place.refuse(`${whatIsIt(value)} is no JSON`);
  place.spend(text.length);
  return text;
}

function writeOptional(inner: WirePlan, value: unknown, place: Place): string {
  if (needsStructured(inner)) return writeStructured(value, place);
  return value === undefined ? escape(value, place) : writeWire(inner, value, place);
}

function writeAlternatives(plan: AlternativesPlan, value: unknown, place: Place): string {
  const way = alternativesWay(plan);
  if (way === "structured") return writeStructured(value, place);
  // Where a part may be anything, a NaN is no JSON but wished for; else it is refused, also next to an `undefined`.
  if (way === "escape" && mayHoldAnything(plan) && !isPlainJson(value, place)) return escape(value, place);
  const writer = new JsonWriter(place, way === "json" ? "refuse" : "tell");
  writer.write(value);
  return writer.plain ? writer.text : escape(value, place);
}

function isPlainJson(value: unknown, place: Place): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value !== "object") return false;
  place.openContainer();
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    return (
      prototype === Array.prototype &&
      Object.keys(value).length === value.length &&
      value.every((item, index) => isPlainPart(index, item, place))
    );
  }
  return (
    prototype === Object.prototype &&
    sortedKeys(value, place).every((key) => isPlainPart(key, dataValue(value, key, place), place))
  );
}

function isPlainPart(step: string | number, value: unknown, place: Place): boolean {
  place.enter(step);
  const plain = isPlainJson(value, place);
  place.leave();
  return plain;
}

function writeItems(value: unknown, planAt: (index: number) => WirePlan | undefined, place: Place): string {
  if (!Array.isArray(value)) place.refuse(`${whatIsIt(value)} is no array`);
  place.openContainer();
  const parts: string[] = [];
  for (let index = 0; index < value.length; index++) {
    place.enter(index);
    const plan = planAt(index) ?? place.refuse("the schema has no place for this item");
    parts.push(writeWire(plan, value[index], place));
    place.leave();
  }
  place.spend(parts.length + 1);
  return `[${parts.join(",")}]`;
}

function writeFields(value: unknown, planAt: (name: string) => WirePlan | undefined, place: Place): string {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    place.refuse(`${whatIsIt(value)} is no object`);
  place.openContainer();
  const parts: string[] = [];
  let exceeds = false;
  for (const name of sortedKeys(value, place)) {
    place.enter(name);
    const plan = planAt(name) ?? place.refuse("the schema knows no such field");
    const part = dataValue(value, name, place);
    if (part === undefined && admitsUndefinedOnly(plan)) exceeds = true;
    else
      parts.push(`${stringText(name, place)}:${writeWire(plan.kind === "optional" ? plan.inner : plan, part, place)}`);
    place.spend(name.length + 4);
    place.leave();
  }
  // A field that is there and undefined is not the same as one that is missing (V3).
  return exceeds ? escape(value, place) : `{${parts.join(",")}}`;
}

function admitsUndefinedOnly(plan: WirePlan): boolean {
  return plan.kind === "optional";
}
