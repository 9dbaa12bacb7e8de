import { textOf } from "./place.ts";
import type { Report } from "./problem.ts";
import type { KeyList, View } from "./view.ts";

/** Two key objects of one name (CORE-1). Names both uses; a third use of either object adds nothing. */
export function checkKeyConflicts({ keys }: View, report: Report): void {
  const uses = new Map<string, KeyList>();
  for (const [{ name: key }, list] of keys) {
    const first = uses.get(key);
    if (first === undefined) {
      uses.set(key, list);
      continue;
    }
    const [one, other] = [first, list].map(({ place, name }) => `${name} of ${textOf(place)}`);
    const message = `key "${key}" in ${other} is another object than in ${one}; make each key once and import it`;
    report("PULSE_KEY_CONFLICT", list.place, message, [first.place, list.place]);
  }
}
