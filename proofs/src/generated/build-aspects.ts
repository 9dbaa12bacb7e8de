import { aspect, isPulseError, retry, timeout } from "@pulse-ts/core";
import type { AnyKey, Aspect, AspectContext, Next } from "@pulse-ts/core";
import { RefusedFailure, valueFor } from "./body-of.ts";
import type { AspectPlan } from "./run-plan.ts";
import type { World } from "./world.ts";

export interface AspectParts {
  readonly world: World;
  readonly limiters: readonly Aspect[];
  /** Retries that the whole run puts around each chain. */
  readonly levelsAbove: number;
}

export interface AspectPlace {
  /** How many retries of the chain are outside these aspects. */
  readonly firstLevel: number;
  /** What the node provides; empty for aspects of a graph, which write nothing. */
  readonly provides: readonly AnyKey[];
}

/** The aspects of one node or graph, and the level of the next retry inside them. */
export function ownAspects(plans: readonly AspectPlan[], parts: AspectParts, place: AspectPlace) {
  let level = place.firstLevel;
  const aspects = plans.flatMap((plan): readonly Aspect[] => {
    switch (plan.kind) {
      case "retry": {
        const { limit, delay, refuses } = plan;
        const when = (error: unknown): boolean => !(error instanceof RefusedFailure);
        const counted = parts.world.countTry(level);
        level += 1;
        return [retry({ limit, delay, ...(refuses ? { when } : {}) }), counted];
      }
      case "timeout":
        return [timeout(plan.ms)];
      case "limiter":
        return parts.limiters.slice(plan.at, plan.at + 1);
      case "answer":
        return [aspect("answer", (context, next) => answer(context, next, plan.fromTry, place.provides))];
      case "catch":
        return [aspect("catch", (context, next) => catchFailure(context, next, place.provides))];
      case "pass":
        return [aspect("pass", (_context, next) => next())];
    }
  });
  return { aspects, nextLevel: level };
}

async function answer(context: AspectContext, next: Next, fromTry: number, provides: readonly AnyKey[]): Promise<void> {
  if (context.attempt < fromTry) return await next();
  for (const key of provides) context.set(key, valueFor(key.name, 2, 10));
}

async function catchFailure(context: AspectContext, next: Next, provides: readonly AnyKey[]): Promise<void> {
  try {
    await next();
  } catch (error) {
    const skip = isPulseError(error, "PULSE_SKIPPED") || isPulseError(error, "PULSE_NO_VALUE");
    if (skip || context.signal.aborted) throw error;
    for (const key of provides) context.set(key, valueFor(key.name, 3, 10));
  }
}
