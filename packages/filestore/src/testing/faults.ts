import { stoppedAt } from "../fault-points.ts";
import type { Change } from "../fault-points.ts";
import { realPlatform } from "../platform.ts";
import type { Platform } from "../platform.ts";
import { steps as operations } from "../steps.ts";
import type { Step } from "../steps.ts";

/** What happens at one change of the disk. */
export type Fault =
  /** Fails without doing anything. */
  | { readonly kind: "fail"; readonly code: string }
  /** Writes half of the bytes, then fails. For other changes the same as `fail`. */
  | { readonly kind: "cut"; readonly code: string }
  /** Does it, and then fails: as far as the caller knows. */
  | { readonly kind: "after"; readonly code: string };

/** Decides for each change, by its place and its number (from 0), whether it goes wrong. */
export type Plan = (step: Step, number: number) => Fault | undefined;

/** An error as the system throws it. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** The real file system, but for what the plan says. */
export function faultyPlatform(plan: Plan): Platform & { readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  const faults = new WeakMap<Change, Fault>();
  const platform = stoppedAt(realPlatform, (moment, change) => {
    const { step, number } = change;
    if (moment === "before") {
      steps.push(step);
      const planned = plan(step, number);
      if (planned !== undefined) faults.set(change, planned);
    }
    const fault = faults.get(change);
    if (fault !== undefined && moment === momentOf(fault, step)) throw systemError(fault.code);
  });
  return { ...platform, steps };
}

function momentOf({ kind }: Fault, step: Step): "before" | "half" | "after" {
  if (kind === "after") return "after";
  return kind === "cut" && operations[step] === "write" ? "half" : "before";
}

/** The disk of a process that ends at the change of this number: nothing it tries from then on has any effect. */
export const endingAt = (
  number: number,
  first: "nothing" | "half" | "all",
): Platform & { readonly steps: readonly Step[] } =>
  faultyPlatform((_step, now) => {
    if (now < number) return undefined;
    if (now > number || first === "nothing") return { kind: "fail", code: "EIO" };
    return { kind: first === "half" ? "cut" : "after", code: "EIO" };
  });
