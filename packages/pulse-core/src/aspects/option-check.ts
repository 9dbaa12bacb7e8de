import { invalid } from "../run/options.ts";

/** Refuses an option of an aspect, where the aspect is made. */
export function refuse(aspect: string, message: string): never {
  throw invalid(`aspect ${aspect}`, [{ code: "PULSE_OPTION_INVALID", path: aspect, message }]);
}
