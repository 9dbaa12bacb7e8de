import { createHash } from "node:crypto";
import { PassingFailure } from "../scan/read-text.ts";

/** Faults on purpose, so that the retry can be watched. */
export interface FaultPlan {
  /** From 0 to 1: how likely one try of reading a chunk fails. */
  readonly probability: number;
  readonly seed: number;
}

/**
 * Fails this try or not. The seed, the node and the number of the try decide, not chance: a try that is repeated after
 * a crash ends as it did before, and a run with faults is as repeatable as one without.
 * @throws PassingFailure when this try is to fail
 */
export function failOnPurpose(plan: FaultPlan, place: { readonly path: string; readonly attempt: number }): void {
  const digest = createHash("sha256").update(`${plan.seed}/${place.path}/${place.attempt}`).digest();
  if (digest.readUInt32BE(0) / 2 ** 32 < plan.probability) {
    throw new PassingFailure(`a fault on purpose (--flaky ${plan.probability} --seed ${plan.seed})`);
  }
}
