import type { ProblemCode } from "../errors.ts";
import { nearMiss } from "./near-miss.ts";
import { textOf } from "./place.ts";
import type { Place } from "./place.ts";
import type { Report } from "./problem.ts";
import type { Providers } from "./providers.ts";
import type { View } from "./view.ts";

/** Keys that a node, a mount or the outputs need and nobody provides (CORE-25, CORE-19). */
export function checkUnprovided({ place: graph, parts, outputs }: View, providers: Providers, report: Report): void {
  const suggest = nearMiss(() => [...providers.keys()]);
  const missing = (code: ProblemCode, place: Place, name: string, needs: string): void => {
    const message = `${textOf(place)} ${needs} "${name}", but no node, mount or input of ${textOf(graph)} provides it`;
    report(code, place, message, [place, name], suggest(name));
  };
  for (const { place, reads } of parts)
    for (const { key, implied } of reads) {
      if (providers.has(key.name)) continue;
      if (implied)
        missing("PULSE_MOUNT_INPUT_MISSING", place, key.name, "neither wires (in) nor fixes (fix) its input");
      else missing("PULSE_KEY_UNPROVIDED", place, key.name, "requires key");
    }
  for (const { name } of outputs)
    if (!providers.has(name)) missing("PULSE_OUTPUT_UNPROVIDED", graph, name, "has the output");
}
