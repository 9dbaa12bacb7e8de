import { isStandardSchema } from "../type.ts";
import { kindOf, textOf, wordOf } from "./place.ts";
import type { Place } from "./place.ts";
import type { Report } from "./problem.ts";
import type { View } from "./view.ts";

/** Names that are no names, node ids that stand twice (CORE-4), and keys without a type (CORE-2). */
export function checkNames({ place: graph, parts, keys }: View, graphName: unknown, report: Report): void {
  const bad = (place: Place, what: string, wanted: string, found: unknown): void => {
    const is = typeof found === "string" ? `"${found}"` : kindOf(found);
    report("PULSE_NAME_INVALID", place, `the ${what} must be ${wanted}, but is ${is}`);
  };
  const check = (place: Place, what: string, found: unknown): void => {
    if (!isName(found) || found.includes("/"))
      bad(place, what, 'a text, not empty and without "/", which separates the parts of a path', found);
  };
  check(graph, "name of a graph", graphName);
  const ids = new Set<unknown>();
  for (const { place } of parts) {
    check(place, `id of a ${place.kind}`, place.id);
    if (ids.has(place.id)) {
      const message = `${textOf(graph)} has two nodes of the id "${wordOf(place.id)}"; give one another id`;
      report("PULSE_NODE_DUPLICATE", place, message, [place, place]);
    }
    ids.add(place.id);
  }
  for (const [key, { place }] of keys) {
    if (!isName(key.name)) bad(place, "name of a key", "a text, and not empty", key.name);
    const type: unknown = key.type;
    if (isStandardSchema(type) || (type as { readonly kind?: unknown } | null | undefined)?.kind === "type") continue;
    const message = `the type of key "${wordOf(key.name)}" must be a Standard Schema or type(), but is ${kindOf(type)}`;
    report("PULSE_DEFINITION_INVALID", place, message);
  }
}

const isName = (name: unknown): name is string => typeof name === "string" && name !== "";
