import type { Problem } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import { problem } from "./problem.ts";
import type { KeyList, View } from "./view.ts";

/** Two key objects of one name (CORE-1). Names both uses; a third use of either object adds nothing. */
export function checkKeyConflicts({ lists, text: graph }: View): Problem[] {
  const problems: Problem[] = [];
  const uses = new Map<string, { readonly key: AnyKey; readonly list: KeyList }>();
  const seen = new Set<AnyKey>();
  for (const list of lists)
    for (const key of list.keys) {
      if (seen.has(key)) continue;
      seen.add(key);
      const first = uses.get(key.name);
      if (first === undefined) uses.set(key.name, { key, list });
      else
        problems.push(
          problem(
            "PULSE_KEY_CONFLICT",
            list.path,
            `key "${key.name}" in ${list.text} is another object than in ${first.list.text}; make a key once in ${graph} and import it`,
            [first.list.path, list.path],
          ),
        );
    }
  return problems;
}
