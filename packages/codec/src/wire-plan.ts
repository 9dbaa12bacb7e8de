import { isEncrypting, type Codec } from "./codec.ts";
import type { Step } from "./place.ts";

/**
 * How one place of a zod schema's input side is written. Made once for each schema (see `plan-schema.ts`);
 * recursive schemas make a graph with cycles.
 *
 * JSON is used wherever it loses nothing. `structured()` takes over where a schema lets a value be more than JSON can say:
 * at a `structured` place always, elsewhere only for the value that needs it, as an array with one item (the escape), which
 * cannot be mistaken since no JSON array is possible there.
 */
export type WirePlan =
  | { readonly kind: "scalar" }
  | { readonly kind: "structured"; /** What a Map or a Set holds. */ readonly around: readonly WirePlan[] }
  | ObjectPlan
  | { readonly kind: "array"; item: WirePlan }
  | { readonly kind: "tuple"; items: readonly WirePlan[]; rest: WirePlan | undefined }
  | { readonly kind: "record"; value: WirePlan }
  | { readonly kind: "nullable"; inner: WirePlan }
  | { readonly kind: "optional"; inner: WirePlan }
  | AlternativesPlan
  | { readonly kind: "codec"; readonly codec: Codec; readonly at: string }
  | SamePlan;

/** Another plan. */
export interface SamePlan {
  readonly kind: "same";
  /** Set when the planner leaves the schema. */
  target: WirePlan | undefined;
  /** True for a codec of the schema's own: values have another shape than what is written. */
  readonly turned: boolean;
}

export interface ObjectPlan {
  readonly kind: "object";
  readonly fields: Map<string, WirePlan>;
  /** For fields that the schema does not name; `undefined` when it takes none. */
  rest: WirePlan | undefined;
}

/** How the field of this name is written; `undefined` when the schema takes none of that name. */
export function fieldPlan(plan: ObjectPlan, name: string): WirePlan | undefined {
  return plan.fields.get(name) ?? plan.rest;
}

/** A union or an intersection: which of its parts wrote the value cannot be told from the value. */
export interface AlternativesPlan {
  readonly kind: "alternatives";
  parts: readonly WirePlan[];
  /** Decided on first use: the parts of a recursive schema are not all known before. */
  way: AlternativesWay | undefined;
}

/** `json`: no value needs more. `escape`: JSON, and the escape for values that need more. `structured`: arrays are possible, so no escape is. */
export type AlternativesWay = "json" | "escape" | "structured";

/** The way of a union or intersection. */
export function alternativesWay(plan: AlternativesPlan): AlternativesWay {
  plan.way ??= !mayExceedJson(plan, new Set()) ? "json" : mayBeArray(plan, new Set()) ? "structured" : "escape";
  return plan.way;
}

/** True when `structured()` writes the place of an optional value that is no field: its JSON could be an array, so no escape is possible. */
export function needsStructured(inner: WirePlan): boolean {
  return mayBeArray(inner, new Set());
}

/** What stands inside a plan, one level down. */
export function partsOf(plan: WirePlan): readonly WirePlan[] {
  switch (plan.kind) {
    case "scalar":
    case "codec":
      return [];
    case "structured":
      return plan.around;
    case "object":
      return plan.rest === undefined ? [...plan.fields.values()] : [...plan.fields.values(), plan.rest];
    case "array":
      return [plan.item];
    case "tuple":
      return plan.rest === undefined ? plan.items : [...plan.items, plan.rest];
    case "record":
      return [plan.value];
    case "nullable":
    case "optional":
      return [plan.inner];
    case "alternatives":
      return plan.parts;
    case "same":
      return plan.target === undefined ? [] : [plan.target];
  }
}

/** True when some value at this place is more than JSON: `undefined` as a property, or whatever `structured()` writes. */
function mayExceedJson(plan: WirePlan, seen: Set<WirePlan>): boolean {
  if (seen.has(plan)) return false;
  seen.add(plan);
  if (plan.kind === "structured" || plan.kind === "optional" || plan.kind === "codec") return true;
  return partsOf(plan).some((part) => mayExceedJson(part, seen));
}

/** True when a place may hold anything, NaN included: then a NaN there is the schema's wish. */
export function mayHoldAnything(plan: WirePlan, seen: Set<WirePlan> = new Set()): boolean {
  if (seen.has(plan)) return false;
  seen.add(plan);
  return plan.kind === "structured" || partsOf(plan).some((part) => mayHoldAnything(part, seen));
}

function mayBeArray(plan: WirePlan, seen: Set<WirePlan>): boolean {
  if (seen.has(plan)) return false;
  seen.add(plan);
  switch (plan.kind) {
    case "array":
    case "tuple":
    case "structured":
      return true;
    case "nullable":
    case "optional":
    case "alternatives":
    case "same":
      return partsOf(plan).some((part) => mayBeArray(part, seen));
    default:
      return false;
  }
}

/** The path of a registered codec that stands where values cannot be told apart, if there is one. */
export function findMisplacedCodec(plan: WirePlan): string | undefined {
  const seen = new Set<WirePlan>();
  const visit = (part: WirePlan, inside: boolean): string | undefined => {
    if (part.kind === "codec") return inside ? part.at : undefined;
    if (seen.has(part)) return undefined;
    seen.add(part);
    const hides =
      inside ||
      part.kind === "alternatives" ||
      part.kind === "structured" ||
      (part.kind === "optional" && needsStructured(part.inner));
    for (const next of partsOf(part)) {
      const found = visit(next, hides);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(plan, false);
}

/** As much of a path inside a value as leads to nothing that is encrypted (CODEC-11). */
export function stepsInClear(plan: WirePlan, steps: readonly Step[]): readonly Step[] {
  let at: WirePlan | undefined = plan;
  for (let taken = 0; taken < steps.length; taken++) {
    while (at?.kind === "optional" || at?.kind === "nullable" || at?.kind === "same") {
      // Where the schema's own code turns values into others, paths cannot be followed.
      at = at.kind !== "same" ? at.inner : at.turned ? undefined : at.target;
    }
    if (at === undefined || (at.kind === "codec" && isEncrypting(at.codec))) return steps.slice(0, taken);
    at = partAt(at, steps[taken]);
  }
  return steps;
}

function partAt(plan: WirePlan, step: Step | undefined): WirePlan | undefined {
  if (plan.kind === "object") return typeof step === "string" ? fieldPlan(plan, step) : undefined;
  if (plan.kind === "record") return plan.value;
  if (plan.kind === "array") return plan.item;
  if (plan.kind === "tuple") return typeof step === "number" ? (plan.items[step] ?? plan.rest) : undefined;
  // Nothing that is encrypted can stand in unions, Maps, Sets and the like.
  return plan;
}
