import type { Random } from "../random.ts";
import type { ProgramPlan } from "./plan.ts";
import type { Witness } from "./witness.ts";

/** One process of a program. */
export interface Life {
  readonly plan: ProgramPlan;
  readonly witness: Witness;
  readonly random: Random;
  /** What bodies of a dead process still do is seen by nobody. */
  alive: boolean;
  /** The run was told to stop in this process: its streams are cancelled. */
  interrupted: boolean;
}

/** Of a process that is gone nothing more is heard. */
export const never = (): Promise<never> => new Promise(() => {});

/** Waits for some microtasks, so that any order of them is met. */
export async function tick({ random }: Life): Promise<void> {
  for (let left = random.below(4); left > 0; left--) await Promise.resolve();
}

/** As it settles in a process that lives; never, in one that has died meanwhile. */
export async function living<Result>(life: Life, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    return life.alive ? result : await never();
  } catch (error) {
    if (life.alive) throw error;
    return await never();
  }
}
