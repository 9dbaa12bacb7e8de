import { keyOfEntry } from "../key-of-entry.ts";
import type { Node } from "../node.ts";
import { isStream, pathIn } from "../streams/plan.ts";
import type { Place, SourcePlan } from "../streams/plan.ts";

/** A key that must be decided before something starts. */
interface Need {
  readonly place: Place;
  readonly name: string;
  /** A plain key, which is there when its provider has ended; a stream is when it has begun. */
  readonly plain: boolean;
  /** The key that the reader itself requires, by which it comes here. */
  readonly over: string;
}

/**
 * What a node waits for before it starts, all the way up: tells for a source the required key over which the node waits for
 * the end of its writer, if it does. With checkpoints a mount's plain keys are there when all of it has ended (CORE-47).
 * Without recursion, as graphs may be long.
 */
export function plainlyNeeded(place: Place, node: Node): (source: SourcePlan) => string | undefined {
  /** By path, a mount's with a `/` behind it: over which key its end is waited for. */
  const ends = new Map<string, string>();
  const entered = new Set<string>();
  const todo: Need[] = needsOf(place, node, undefined);
  for (let need = todo.pop(); need !== undefined; need = todo.pop()) {
    const { over, plain } = need;
    const provider = need.place.providers.get(need.name);
    if (provider === undefined) {
      const { parent, mount } = need.place;
      const wire = mount && parent?.wirings.get(mount)?.in.find(({ input }) => input === need.name);
      if (parent !== undefined && wire !== undefined) todo.push({ place: parent, name: wire.from.name, plain, over });
      continue;
    }
    const path = pathIn(need.place, provider.id);
    const end = provider.kind === "mount" ? `${path}/` : path;
    if (plain && !ends.has(end)) ends.set(end, over);
    if (provider.kind === "node") {
      if (entered.has(path)) continue;
      entered.add(path);
      todo.push(...needsOf(need.place, provider, over));
      continue;
    }
    const wiring = need.place.wirings.get(provider);
    const inside = plain ? undefined : wiring?.out.find(({ to }) => to.name === need.name);
    const child = need.place.children.get(provider);
    if (inside !== undefined && child !== undefined)
      todo.push({ place: child, name: inside.output, plain: false, over });
    else if (!entered.has(path)) {
      entered.add(path);
      for (const { from } of wiring?.in ?? [])
        todo.push({ place: need.place, name: from.name, plain: !isStream(from), over });
    }
  }
  return ({ path }) => overFor(path, ends);
}

function overFor(path: string, ends: ReadonlyMap<string, string>): string | undefined {
  // The mounts around it, from the inside; a path begins with no `/`.
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const over = ends.get(path.slice(0, at + 1));
    if (over !== undefined) return over;
  }
  return ends.get(path);
}

function needsOf(place: Place, node: Node, over: string | undefined): Need[] {
  return node.requires.map((entry) => {
    const key = keyOfEntry(entry);
    return { place, name: key.name, plain: !isStream(key), over: over ?? key.name };
  });
}
