import { textOf } from "./place.ts";
import type { Report } from "./problem.ts";
import type { View } from "./view.ts";

/** A list that names a key twice. A mount may well read one key for several inputs. */
export function checkRepeated({ lists }: View, report: Report): void {
  for (const { place, name, keys } of lists) {
    if (keys.length < 2 || name === "in" || new Set(keys).size === keys.length) continue;
    const twice = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
    for (const key of twice) {
      const message = `key "${key.name}" stands twice in ${name} of ${textOf(place)}; name it once`;
      report("PULSE_KEY_REPEATED", place, message, [place, key.name]);
    }
  }
}
