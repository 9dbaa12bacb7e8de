import { idsKey } from "../record/entry-key.ts";
import type { CheckedParts } from "./parts.ts";
import { nodeAt } from "./problem.ts";

/** Finds what had to be confirmed for a key, and is not: the node's place, or nothing. */
export type MissingProvider = (scope: string, key: string) => string | undefined;

/** Follows keys outwards through the mounts that bind them; what was followed once is remembered. */
export function providerSearch({ record, definition, scopeOf }: CheckedParts): MissingProvider {
  const known = new Map<string, string | undefined>();

  const look = (scope: string, key: string): string | undefined | { readonly scope: string; readonly key: string } => {
    const path = record.scopes.get(scope)?.path;
    const provider = path === undefined ? undefined : definition?.graph(path)?.providers.get(key);
    if (path === undefined || provider === undefined || provider.kind === "given") return undefined;
    if (provider.kind === "node") {
      return record.nodes.has(idsKey(scope, provider.nodeId)) ? undefined : nodeAt(path, provider.nodeId);
    }
    const outer = scopeOf.get(scope);
    // A scope whose chain breaks is reported there.
    return outer === undefined ? undefined : { scope: outer, key: provider.key };
  };

  return (fromScope, fromKey) => {
    const near = look(fromScope, fromKey);
    if (typeof near !== "object") return near;
    const followed: string[] = [];
    let at = { scope: fromScope, key: fromKey };
    for (;;) {
      const place = `${at.scope}/${at.key}`;
      const found = known.has(place) ? known.get(place) : look(at.scope, at.key);
      followed.push(place);
      if (typeof found === "object") {
        at = found;
        continue;
      }
      for (const each of followed) known.set(each, found);
      return found;
    }
  };
}
