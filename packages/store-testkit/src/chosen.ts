import { randomInt } from "node:crypto";

/** The `kills` of who does not say. */
export const killsDefault = 25;

/** What was given, else what the environment says under this name, else the default. @throws an Error for what is no whole number */
export function wholeNumber(
  name: string,
  given: number | string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  fallback: () => number,
): number {
  const text = given ?? environment[name];
  if (text === undefined || text === "") return fallback();
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`${name} is ${JSON.stringify(text)}; give a whole number from 0`);
}

/** `PULSE_SEED`, else another one each time. */
export const chosenSeed = (given: number | string | undefined): number =>
  wholeNumber("PULSE_SEED", given, process.env, () => randomInt(2 ** 31));

/** `PULSE_KILLS`, else {@link killsDefault}. */
export const chosenKills = (given: number | string | undefined): number =>
  wholeNumber("PULSE_KILLS", given, process.env, () => killsDefault);
