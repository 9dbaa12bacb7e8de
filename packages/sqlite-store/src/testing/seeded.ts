import { randomInt } from "node:crypto";
import { onTestFailed } from "vitest";

/** Numbers from a seed: `PULSE_SEED` gives one, and a test that fails tells its own. */
export function seeded(): (below: number) => number {
  const seed = Number(process.env["PULSE_SEED"] ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`PULSE_SEED=${seed}`));
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
