import { textOf } from "./place.ts";
import type { Report } from "./problem.ts";
import type { View } from "./view.ts";

/** Who provides a key: the place of a part among the parts, -1 for the inputs. */
export type Providers = ReadonlyMap<string, number>;

/** The first provider of each key name. */
export function providersOf({ inputs, parts }: View): Providers {
  const providers = new Map<string, number>();
  for (const { name } of inputs) providers.set(name, -1);
  parts.forEach(({ writes }, index) => {
    for (const { name } of writes) if (!providers.has(name)) providers.set(name, index);
  });
  return providers;
}

/** Keys with two providers (CORE-25). A list that names its key twice is another problem. */
export function checkProviders({ place: graph, parts }: View, providers: Providers, report: Report): void {
  parts.forEach(({ place, writes }, index) => {
    for (const { name } of writes) {
      const first = providers.get(name) as number;
      if (first === index) continue;
      const other = parts[first]?.place ?? graph;
      const one = other === graph ? `the inputs of ${textOf(graph)}` : textOf(other);
      const message = `key "${name}" is provided by ${one} and by ${textOf(place)}; only one may provide it`;
      report("PULSE_KEY_DUPLICATE_PROVIDER", place, message, [other, place]);
    }
  });
}
