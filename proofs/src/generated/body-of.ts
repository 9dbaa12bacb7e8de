import type { AnyKey, Context, Key, Requirement } from "@pulse-ts/core";
import type { BodyPlan, PlanValue } from "./run-plan.ts";
import type { World } from "./world.ts";

/** A failure that a retry with a `when` does not try again. */
export class RefusedFailure extends Error {}

export interface BodyParts {
  readonly world: World;
  readonly provides: readonly AnyKey[];
  readonly requires: readonly Requirement[];
}

/** What a body does: its values, its path and its tries decide, nothing else. */
export function bodyOf(plan: BodyPlan, parts: BodyParts) {
  const { world, provides, requires } = parts;
  return async (_values: unknown, context: Context): Promise<Record<string, never>> => {
    world.begin(context);
    const failing = failsNow(plan, context.path, world);
    // Whatever is skipped and not optional ends the body here (CORE-7).
    const sum = requires.reduce((total, one) => total + sumOf(context, one), plan.id.length);
    const [first, ...rest] = provides;
    if (plan.early && first !== undefined) context.set(first, valueFor(first.name, sum, plan.textLength));
    for (let turn = 0; turn < plan.turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    if (failing) await fail(plan, context);
    if (plan.deed === "skip-node") return context.skip();
    if (plan.deed === "forget") return {};
    for (const key of plan.early ? rest : provides) {
      if (plan.deed === "skip-key" && key === first) context.skip(key);
      else context.set(key, valueFor(key.name, sum, plan.textLength));
    }
    return {};
  };
}

/** A value that tells the key and the sum apart from any other. */
export function valueFor(name: string, sum: number, textLength: number): PlanValue {
  return {
    sum: (sum * 31 + name.length) % 1_000_003,
    text: `${name} `.repeat(Math.ceil(textLength / (name.length + 1))),
  };
}

function sumOf(context: Context, one: Requirement): number {
  // Every key of a generated graph holds a plan value; none is a stream.
  const key = (one.kind === "key" ? one : one.key) as Key<string, PlanValue>;
  const value: PlanValue | undefined = context.get(key);
  return value === undefined ? 7 : value.sum + value.text.length;
}

function failsNow({ fails }: BodyPlan, path: string, world: World): boolean {
  if (fails === undefined) return false;
  const { until } = fails;
  return until === undefined || (world.triesAt(path, until.depth)[until.level] ?? 1) <= until.tries;
}

async function fail({ fails, id }: BodyPlan, { signal }: Context): Promise<void> {
  switch (fails?.how) {
    case "hang":
      await new Promise((_resolve, reject) => {
        const stop = (): void => reject(new Error(`"${id}" was stopped`));
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      });
      return;
    case "deaf":
      await new Promise(() => {});
      return;
    case "refused":
      throw new RefusedFailure(`"${id}" fails, and no retry helps`);
    case "throw":
    case undefined:
      throw new Error(`"${id}" fails in this try`);
  }
}
