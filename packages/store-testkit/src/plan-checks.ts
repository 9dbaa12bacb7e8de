import type { Requirement } from "./requirement.ts";
import { requirements } from "./requirements.ts";
import type { StoreSubject } from "./subject.ts";

/** A requirement, and why it is left out, if it is. */
export interface PlannedCheck {
  readonly requirement: Requirement;
  readonly leftOut?: string;
}

export interface PlanOptions {
  /** Whether the path of the store module is known. */
  readonly hasModule: boolean;
  /** Requirement ids or rule ids: these alone. Absent: all. */
  readonly only?: readonly string[] | undefined;
}

/**
 * What is checked, and what is left out and why (KIT-1). @throws an Error for a name in `only` or in the subject's
 * `without` that is none of the kit's, or that has no reason: a misspelt one would hide what is not kept
 */
export function planChecks(subject: StoreSubject, { hasModule, only }: PlanOptions): readonly PlannedCheck[] {
  const { name, without = {} } = subject;
  const known = new Set(requirements.flatMap(({ id, rule }) => [id, rule]));
  for (const each of only ?? []) if (!known.has(each)) throw unknownName(`"${each}"`, known);
  for (const [each, reason] of Object.entries(without)) {
    if (!known.has(each)) throw unknownName(`\`without\` of the store "${name}" names "${each}", which`, known);
    if (typeof reason !== "string" || reason.trim() === "") {
      throw new Error(`\`without\` of the store "${name}" gives no reason for "${each}"; say why it is left out`);
    }
  }
  return requirements
    .filter(({ id, rule }) => only === undefined || only.includes(id) || only.includes(rule))
    .map((requirement) => {
      const reason = reasonFor(requirement, subject, hasModule);
      return reason === undefined ? { requirement } : { requirement, leftOut: reason };
    });
}

function reasonFor(
  { id, rule, needs }: Requirement,
  { without = {}, faultPoints = [] }: StoreSubject,
  hasModule: boolean,
): string | undefined {
  const declared = [id, rule].find((each) => Object.hasOwn(without, each));
  if (declared !== undefined) return without[declared];
  if (needs === "module" && !hasModule) return "the kit was not told the path of the store module";
  return needs === "fault-points" && faultPoints.length === 0 ? "the subject names no fault points" : undefined;
}

function unknownName(what: string, known: ReadonlySet<string>): Error {
  return new Error(`${what} is no requirement and no rule of the kit; it has ${[...known].join(", ")}`);
}
