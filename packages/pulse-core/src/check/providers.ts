import type { Problem } from "../errors.ts";
import { problem } from "./problem.ts";
import type { Part, View } from "./view.ts";

/** Who provides a key: the place of a part among the parts, -1 for the inputs. */
export type Providers = ReadonlyMap<string, number>;

/** The first provider of each key name. */
export function providersOf({ inputs, parts }: View): Providers {
  const providers = new Map<string, number>(inputs.map(({ name }) => [name, -1]));
  parts.forEach(({ writes }, index) => {
    for (const { name } of writes) if (!providers.has(name)) providers.set(name, index);
  });
  return providers;
}

/** Keys with two providers (CORE-25). A list that names its key twice is another problem. */
export function checkProviders({ name: graph, text, parts }: View, providers: Providers): Problem[] {
  const problems: Problem[] = [];
  parts.forEach(({ path, text: what, writes }, index) => {
    for (const name of new Set(writes.map((key) => key.name))) {
      const first = providers.get(name) as number;
      if (first === index) continue;
      const other: Part | undefined = parts[first];
      problems.push(
        problem(
          "PULSE_KEY_DUPLICATE_PROVIDER",
          path,
          `key "${name}" is provided by ${other?.text ?? `the inputs of ${text}`} and by ${what}; only one may provide it`,
          [other?.path ?? graph, path],
        ),
      );
    }
  });
  return problems;
}
