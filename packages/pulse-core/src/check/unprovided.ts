import type { Problem } from "../errors.ts";
import { nearMiss } from "./near-miss.ts";
import { problem } from "./problem.ts";
import type { Providers } from "./providers.ts";
import type { View } from "./view.ts";

/** Keys that a node, a mount or the outputs need and nobody provides (CORE-25, CORE-19). */
export function checkUnprovided({ name: graph, text, parts, outputs }: View, providers: Providers): Problem[] {
  const problems: Problem[] = [];
  const nobody = `but no node, mount or input of ${text} provides it`;
  const suggest = nearMiss(() => [...providers.keys()]);
  for (const { path, text: what, reads } of parts)
    for (const { key, input, implied } of reads) {
      const { name } = key;
      if (providers.has(name)) continue;
      problems.push(
        implied
          ? problem(
              "PULSE_MOUNT_INPUT_MISSING",
              path,
              `${what} has no source for input "${input}": wire it by in, give a constant by fix, or provide key "${name}" in ${text}`,
              [path, name],
              suggest(name),
            )
          : problem("PULSE_KEY_UNPROVIDED", path, `${what} requires key "${name}", ${nobody}`, [path, name], suggest(name)),
      );
    }
  for (const { name } of outputs)
    if (!providers.has(name))
      problems.push(
        problem("PULSE_OUTPUT_UNPROVIDED", graph, `${text} has the output "${name}", ${nobody}`, [graph, name], suggest(name)),
      );
  return problems;
}
