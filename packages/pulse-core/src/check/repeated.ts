import type { Problem } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import { problem } from "./problem.ts";
import type { View } from "./view.ts";

/** A list that names a key twice. */
export function checkRepeated({ lists }: View): Problem[] {
  const problems: Problem[] = [];
  for (const { path, text, keys, mayRepeat } of lists) {
    const once = new Set<AnyKey>();
    const twice = new Set<AnyKey>();
    for (const key of keys) (once.has(key) ? twice : once).add(key);
    if (mayRepeat) continue;
    for (const { name } of twice)
      problems.push(problem("PULSE_KEY_REPEATED", path, `key "${name}" stands twice in ${text}; name it once`, [path, name]));
  }
  return problems;
}
