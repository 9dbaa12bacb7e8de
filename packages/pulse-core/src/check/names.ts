import type { Problem } from "../errors.ts";
import { isStandardSchema } from "../type.ts";
import { kindOf, problem, wordOf } from "./problem.ts";
import type { View } from "./view.ts";

/** Names that are no names, node ids that stand twice (CORE-4), and keys without a type (CORE-2). */
export function checkNames({ name, text, parts, lists }: View, graphName: unknown): Problem[] {
  const problems: Problem[] = [];
  const check = (path: string, what: string, found: unknown, separator = "/"): void => {
    if (typeof found === "string" && found !== "" && !(separator && found.includes(separator))) return;
    const wanted = separator ? `a text without "${separator}", which separates the parts of a path` : "a text";
    const is = typeof found === "string" ? `"${found}"` : kindOf(found);
    problems.push(problem("PULSE_NAME_INVALID", path, `${what} must be ${wanted}, and not empty, but is ${is}`));
  };
  check(name, `the name of ${text}`, graphName);
  const ids = new Set<unknown>();
  for (const { id, path, text: what } of parts) {
    check(path, `the id of ${what}`, id);
    if (ids.has(id))
      problems.push(
        problem("PULSE_NODE_DUPLICATE", path, `${text} has two nodes of the id "${wordOf(id)}"; give one another id`, [path, path]),
      );
    ids.add(id);
  }
  const seen = new Set<unknown>();
  for (const { path, text: what, keys } of lists)
    for (const key of keys) {
      if (seen.has(key)) continue;
      seen.add(key);
      check(path, `the name of a key in ${what}`, key.name, "");
      const type: unknown = key.type;
      if (!isStandardSchema(type) && (type as { kind?: unknown } | null | undefined)?.kind !== "type")
        problems.push(
          problem(
            "PULSE_DEFINITION_INVALID",
            path,
            `the type of key "${wordOf(key.name)}" must be a Standard Schema or type(), but is ${kindOf(type)}`,
          ),
        );
    }
  return problems;
}
