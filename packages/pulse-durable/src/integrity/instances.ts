import type { CheckedParts } from "./parts.ts";

/**
 * The scope around a scope whose graph stands at `path`: itself, or one further out. The tree was found sound, so this takes
 * as many steps as the definition has graphs around each other.
 */
function scopeAround({ record, scopeOf }: CheckedParts, scope: string, path: string): string | undefined {
  let at: string | undefined = scope;
  while (at !== undefined && record.scopes.get(at)?.path !== path) at = scopeOf.get(at);
  return at;
}

/** Whether two scopes lie in the same instance of the innermost graph that both their graphs stand in. */
export function inOneInstance(parts: CheckedParts, one: string, other: string): boolean {
  const { scopes } = parts.record;
  const path = pathAround(scopes.get(one)?.path ?? "", scopes.get(other)?.path ?? "");
  const around = scopeAround(parts, one, path);
  return around !== undefined && around === scopeAround(parts, other, path);
}

/** The path of the innermost graph that the graphs at both paths stand in. */
function pathAround(one: string, other: string): string {
  const [mine, its] = [one.split("/"), other.split("/")];
  let common = 0;
  while (common < mine.length && mine[common] === its[common]) common += 1;
  return mine.slice(0, common).join("/");
}
