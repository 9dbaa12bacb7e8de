import type { Aspect } from "../aspects/aspect.ts";
import type { AnyKey } from "../key.ts";
import type { AnyGraph, Mount } from "../mount.ts";
import type { Node } from "../node.ts";
import { wiringOf } from "../wiring.ts";
import { kindOf, pathOf, textOf, wordOf } from "./place.ts";
import type { Place } from "./place.ts";
import type { Report } from "./problem.ts";

/** A list of keys in a graph. */
export interface KeyList {
  readonly place: Place;
  /** `requires`. */
  readonly name: string;
  readonly keys: readonly AnyKey[];
}

/** One key that a part reads. */
export interface Read {
  readonly key: AnyKey;
  /** In a mount: the child's name for it. */
  readonly input?: string;
  /** In a mount: no entry of `in` names it. */
  readonly implied?: boolean;
}

/** A node or a mount, reduced to what it reads and writes. */
export interface Part {
  readonly place: Place;
  readonly mount: Mount | undefined;
  readonly reads: readonly Read[];
  readonly writes: readonly AnyKey[];
}

/** What of a graph is sound enough to be looked at. Everything else has become a problem. */
export interface View {
  readonly place: Place;
  readonly inputs: readonly AnyKey[];
  readonly outputs: readonly AnyKey[];
  readonly parts: readonly Part[];
  /** Every list in which a key is named by its own object, in order of the definition. */
  readonly lists: readonly KeyList[];
  /** Every key object, with the list that names it first. */
  readonly keys: ReadonlyMap<AnyKey, KeyList>;
}

type Loose<Name extends PropertyKey> = { readonly [Each in Name]?: unknown };

/** Reads a graph that may be anything (JavaScript users, casts), and reports what is not of the right shape (CORE-26). */
export function viewOf(
  given: unknown,
  report: Report,
  /** Whether a mounted graph is sound; reports it if it is not. */
  isSound: (child: AnyGraph, path: string) => boolean,
): View {
  const lists: KeyList[] = [];
  const firstUses = new Map<AnyKey, KeyList>();
  const note = (place: Place, name: string, keys: readonly AnyKey[]): void => {
    const list = { place, name, keys };
    lists.push(list);
    for (const key of keys) if (!firstUses.has(key)) firstUses.set(key, list);
  };
  const bad = (place: Place, what: string, wanted: string, found: unknown): void => {
    const message = `${what} of ${textOf(place)} must be ${wanted}, but is ${kindOf(found)}`;
    report("PULSE_DEFINITION_INVALID", place, message);
  };
  /** The sound entries of a list. */
  const soundIn = <Entry>(
    value: unknown,
    place: Place,
    name: string,
    wanted: string,
    sound: (entry: unknown) => Entry | undefined,
  ) => {
    const entries: Entry[] = [];
    if (!Array.isArray(value)) bad(place, name, "a list", value);
    else
      for (let index = 0; index < value.length; index++) {
        const entry = sound(value[index]);
        if (entry === undefined) bad(place, `entry ${index} in ${name}`, wanted, value[index]);
        else entries.push(entry);
      }
    return entries;
  };
  const keysIn = (value: unknown, place: Place, name: string, sound = asKey): AnyKey[] => {
    const keys = soundIn(value, place, name, sound === asKey ? "a key" : "a key or optional(key)", sound);
    note(place, name, keys);
    return keys;
  };
  /** The sound entries of a mount's `in` or `out`. */
  const keysByName = (value: unknown, place: Place, name: "in" | "out"): Record<string, AnyKey> => {
    const sound = Object.create(null) as Record<string, AnyKey>;
    if (typeof value !== "object" || value === null) bad(place, name, "an object", value);
    else
      for (const [port, entry] of Object.entries(value)) {
        const key = asKey(entry);
        if (key === undefined) bad(place, `"${port}" in ${name}`, "a key", entry);
        else sound[port] = key;
      }
    note(place, name, Object.values(sound));
    return sound;
  };
  const partOf = (part: Loose<keyof Node | keyof Mount>, graph: string): Part => {
    const place = { graph, kind: part.kind as string, id: part.id };
    soundIn(part.aspects, place, "aspects", "an aspect", asAspect);
    if (part.kind === "node") {
      if (typeof part.body !== "function") bad(place, "the body", "a function", part.body);
      const reads = keysIn(part.requires, place, "requires", asEntry).map((key) => ({ key }));
      return { place, mount: undefined, reads, writes: keysIn(part.provides, place, "provides") };
    }
    const fix = typeof part.fix === "object" && part.fix !== null ? (part.fix as Mount["fix"]) : {};
    if (fix !== part.fix) bad(place, "fix", "an object", part.fix);
    const out = part.out === undefined ? undefined : keysByName(part.out, place, "out");
    // The fields that are read from here on have been looked at, but for the graph: `isSound` does that.
    const mount = { ...part, in: keysByName(part.in, place, "in"), fix, out } as Mount;
    const isGraph = recordOf<keyof AnyGraph>(part.graph).kind === "graph";
    if (!isGraph) bad(place, "what is mounted", "a graph", part.graph);
    const sound = isGraph && isSound(mount.graph, pathOf(place));
    const writes = out === undefined ? (sound ? mount.graph.outputs : []) : Object.values(out);
    if (out === undefined) note(place, "the outputs", writes);
    return { place, mount: sound ? mount : undefined, reads: [], writes };
  };

  const graph = recordOf<keyof AnyGraph>(given);
  const name = wordOf(graph.name);
  const place = { graph: name, kind: "graph", id: name };
  const inputs = keysIn(graph.inputs, place, "inputs", asEntry);
  const outputs = keysIn(graph.outputs, place, "outputs");
  soundIn(graph.aspects, place, "aspects", "an aspect", asAspect);
  const parts = soundIn(graph.nodes, place, "nodes", "a node or a mount", asPart).map((part) => partOf(part, name));
  return { place, inputs, outputs, parts: withMountReads(parts, inputs), lists, keys: firstUses };
}

/** Fills in what mounts read. An optional input of a child is wired by itself only if the parent has that very key (CORE-19). */
function withMountReads(parts: readonly Part[], inputs: readonly AnyKey[]): readonly Part[] {
  if (parts.every(({ mount }) => mount === undefined)) return parts;
  const has = new Set(inputs);
  for (const { writes } of parts) for (const key of writes) has.add(key);
  return parts.map((part) => {
    const { mount } = part;
    if (mount === undefined) return part;
    const wires = wiringOf(mount, (key) => has.has(key)).in;
    return {
      ...part,
      reads: wires.map(({ input, from }) => ({ key: from, input, implied: !Object.hasOwn(mount.in, input) })),
    };
  });
}

/** Any value as something whose fields can be asked for. */
const recordOf = <Name extends PropertyKey>(value: unknown): Loose<Name> =>
  typeof value === "object" && value !== null ? value : {};

// Each of these four gives the entry itself if it is of its kind. The casts say so; what else can be wrong is looked at later.
const asKey = (entry: unknown): AnyKey | undefined =>
  recordOf<keyof AnyKey>(entry).kind === "key" ? (entry as AnyKey) : undefined;

const asEntry = (entry: unknown): AnyKey | undefined => asKey(recordOf<"key">(entry).key ?? entry);

const asAspect = (entry: unknown): Aspect | undefined =>
  typeof recordOf<keyof Aspect>(entry).run === "function" ? (entry as Aspect) : undefined;

const asPart = (entry: unknown): Loose<keyof Node | keyof Mount> | undefined => {
  const part = recordOf<keyof Node | keyof Mount>(entry);
  return part.kind === "node" || part.kind === "mount" ? part : undefined;
};
