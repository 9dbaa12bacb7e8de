import type { ProblemCode } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import { isStandardSchema } from "../type.ts";
import { nearMiss } from "./near-miss.ts";
import { textOf } from "./place.ts";
import type { Report } from "./problem.ts";
import type { View } from "./view.ts";

/** Wires of mounts that lead nowhere, come from two sources, or join what does not fit (CORE-19, CORE-25). */
export function checkMounts({ parts }: View, report: Report): void {
  for (const { place, mount, reads } of parts) {
    if (mount === undefined) continue;
    const text = textOf(place);
    const child = `graph "${mount.graph.name}"`;
    const inputs = new Map(mount.graph.inputs.map(keyOfEntry).map((key) => [key.name, key]));
    const outputs = new Map(mount.graph.outputs.map((key) => [key.name, key]));
    const unknown = (
      code: ProblemCode,
      ports: ReadonlyMap<string, AnyKey>,
      names: readonly string[],
      what: string,
    ): void => {
      const suggest = nearMiss(() => [...ports.keys()]);
      for (const name of names)
        if (!ports.has(name))
          report(
            code,
            place,
            `${text} names ${what} "${name}", which ${child} does not have`,
            [place, name],
            suggest(name),
          );
    };
    const misfit = (from: AnyKey, to: AnyKey): void => {
      const found = jsonType(from);
      const wanted = jsonType(to);
      if (from.type === to.type || found === undefined || wanted === undefined || found === wanted) return;
      if (found === "integer" && wanted === "number") return;
      const message = `${text} passes ${found} key "${from.name}" to ${wanted} key "${to.name}"`;
      report("PULSE_MOUNT_TYPE", place, message, [from.name, to.name]);
    };
    const wired = Object.keys(mount.in);
    const fixed = Object.keys(mount.fix);
    unknown("PULSE_MOUNT_INPUT_UNKNOWN", inputs, [...new Set([...wired, ...fixed])], "input");
    for (const name of wired)
      if (fixed.includes(name))
        report("PULSE_MOUNT_INPUT_TWICE", place, `${text} gives input "${name}" both by in and by fix; keep one`, [
          place,
          name,
        ]);
    for (const { key, input, implied } of reads) if (!implied) misfit(key, inputs.get(input as string) as AnyKey);
    if (mount.out === undefined) continue;
    unknown("PULSE_MOUNT_OUTPUT_UNKNOWN", outputs, Object.keys(mount.out), "output");
    for (const [name, to] of Object.entries(mount.out)) if (outputs.has(name)) misfit(outputs.get(name) as AnyKey, to);
  }
}

/** The JSON type of a key's values, if its schema can tell (Standard JSON Schema). */
function jsonType({ type }: AnyKey): string | undefined {
  if (!isStandardSchema(type)) return undefined;
  const { jsonSchema } = type["~standard"] as {
    readonly jsonSchema?: { readonly output?: (options: object) => unknown };
  };
  try {
    const told = (jsonSchema?.output?.({ target: "draft-2020-12" }) as { readonly type?: unknown } | undefined)?.type;
    return typeof told === "string" ? told : undefined;
  } catch {
    // Not every type has a JSON schema: nothing is known then.
    return undefined;
  }
}
