import type { Place, Step } from "./place.ts";

/**
 * Refuses a value that a schema refuses when a promise stands where the schema found something wrong: schemas say of it
 * only that it is none of theirs, and what helps is an `await`.
 */
export function refusePromises(
  value: unknown,
  paths: readonly (readonly PropertyKey[])[],
  place: Place,
  inClear: (path: readonly Step[]) => readonly Step[] = (path) => path,
): void {
  for (const path of paths) {
    let found = value;
    const steps: Step[] = [];
    place.refusePromise(found);
    for (const key of path) {
      found = partOf(found, key);
      steps.push(typeof key === "symbol" ? String(key) : key);
      // Also on the way: to some schemas a promise is an object that lacks every field.
      place.refusePromise(found, inClear(steps));
    }
  }
}

/** What stands there, found without running a getter; nothing where the path leads nowhere. */
function partOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return value instanceof Map ? value.get(key) : Object.getOwnPropertyDescriptor(value, key)?.value;
}
