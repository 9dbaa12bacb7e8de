import type { AnyKey } from "./key.ts";
import { keyOfEntry } from "./key-of-entry.ts";
import type { Mount } from "./mount.ts";

/** How one mount is wired, once equal names and left-out optional inputs are filled in (CORE-19). */
export interface Wiring {
  readonly in: readonly { readonly input: string; readonly from: AnyKey }[];
  readonly fix: readonly { readonly input: string; readonly value: unknown }[];
  readonly out: readonly { readonly output: string; readonly to: AnyKey }[];
}

/**
 * Fills in what a mount need not say: an input of equal name is wired to the parent's key of that name; an optional
 * one only when the parent has the very same key. `parentHas` tells whether the parent graph has a key.
 */
export function wiringOf(mount: Mount, parentHas: (key: AnyKey) => boolean): Wiring {
  const wiredIn: { input: string; from: AnyKey }[] = [];
  const fix: { input: string; value: unknown }[] = [];
  for (const entry of mount.graph.inputs) {
    const { name } = keyOfEntry(entry);
    if (Object.hasOwn(mount.fix, name)) fix.push({ input: name, value: mount.fix[name] });
    else if (Object.hasOwn(mount.in, name)) wiredIn.push({ input: name, from: mount.in[name] as AnyKey });
    else if (entry.kind === "key" || parentHas(entry.key)) wiredIn.push({ input: name, from: keyOfEntry(entry) });
  }
  const { out } = mount;
  return {
    in: wiredIn,
    fix,
    out:
      out === undefined
        ? mount.graph.outputs.map((key) => ({ output: key.name, to: key }))
        : Object.keys(out).map((output) => ({ output, to: out[output] as AnyKey })),
  };
}
