import { keysNamed } from "../compile.ts";
import type { AnyKey } from "../key.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import type { AnyGraph, Mount } from "../mount.ts";
import type { Node } from "../node.ts";
import { wiringOf } from "../wiring.ts";
import type { Wiring } from "../wiring.ts";
import { ownGroup } from "./group-name.ts";
import type { StreamKey } from "./stream-key.ts";

/** A graph where it stands in a tree of mounts. */
export interface Place {
  readonly graph: AnyGraph;
  /** The mount's path; empty at the root. */
  readonly path: string;
  readonly parent: Place | undefined;
  /** What it is the child of. */
  readonly mount: Mount | undefined;
  readonly providers: ReadonlyMap<string, Node | Mount>;
  readonly wirings: ReadonlyMap<Mount, Wiring>;
  readonly children: ReadonlyMap<Mount, Place>;
}

/** A node that reads a stream, under a key of its own graph. */
export interface ReaderPlan {
  readonly path: string;
  readonly key: string;
  readonly group: string;
  readonly place: Place;
  readonly node: Node;
}

/** A stream, from its writing node to all its readers, whatever mounts lie between (STR-12). */
export interface SourcePlan {
  /** The writing node's path. */
  readonly path: string;
  readonly key: AnyKey & StreamKey;
  readonly place: Place;
  readonly node: Node;
  /** The path of the outermost graph that it reaches. */
  top: string;
  readonly readers: ReaderPlan[];
  /** The names of root outputs that it is. */
  readonly outputs: string[];
  /** Every name that it has, its own first: the path of the graph and the key's name in it (STR-12). */
  readonly names: { readonly path: string; readonly key: string }[];
}

/** A stream that passes a mount's border. */
export interface BorderPlan {
  readonly source: SourcePlan;
  readonly place: Place;
  readonly mount: Mount;
  readonly direction: "into" | "out of";
  /** The keys inside and outside. */
  readonly inner: string;
  readonly outer: string;
}

/** All that can be known of the streams of a graph without running it. */
export interface StreamPlan {
  readonly root: Place;
  readonly sources: readonly SourcePlan[];
  readonly borders: readonly BorderPlan[];
}

export const pathIn = (place: Place, id: string): string => (place.path === "" ? id : `${place.path}/${id}`);

/** Narrows to a stream key. */
export const isStream = (key: AnyKey): key is AnyKey & StreamKey => key.stream !== undefined;

const plans = new WeakMap<AnyGraph, StreamPlan>();

/** The plan of a sound graph as a root; made once for a graph object. */
export function planOf(graph: AnyGraph): StreamPlan {
  let plan = plans.get(graph);
  if (plan === undefined) plans.set(graph, (plan = makePlan(graph)));
  return plan;
}

function makePlan(graph: AnyGraph): StreamPlan {
  const places: Place[] = [];
  const root = placeOf(graph, "", undefined, undefined, places);
  const sources = new Map<string, SourcePlan>();
  const borders: BorderPlan[] = [];
  for (const place of places)
    for (const node of place.graph.nodes)
      if (node.kind === "node")
        for (const key of node.provides)
          if (isStream(key)) {
            const path = pathIn(place, node.id);
            const names = [{ path: place.path, key: key.name }];
            sources.set(`${path} ${key.name}`, {
              path,
              key,
              place,
              node,
              top: place.path,
              readers: [],
              outputs: [],
              names,
            });
          }
  const known = new Map<Place, Map<string, SourcePlan | undefined>>();
  const sourceOf = (place: Place, name: string): SourcePlan | undefined => {
    let names = known.get(place);
    if (names === undefined) known.set(place, (names = new Map()));
    if (names.has(name)) return names.get(name);
    const found = findSource(place, name);
    if (found !== undefined && found.top.length > place.path.length) found.top = place.path;
    names.set(name, found);
    if (place.providers.get(name)?.kind !== "node") found?.names.push({ path: place.path, key: name });
    return found;
  };
  const findSource = (place: Place, name: string): SourcePlan | undefined => {
    const provider = place.providers.get(name);
    if (provider?.kind === "node") return sources.get(`${pathIn(place, provider.id)} ${name}`);
    if (provider !== undefined) {
      const child = place.children.get(provider);
      const wire = place.wirings.get(provider)?.out.find(({ to }) => to.name === name);
      const source = child && wire && sourceOf(child, wire.output);
      if (source !== undefined)
        borders.push({ source, place, mount: provider, direction: "out of", inner: wire?.output ?? "", outer: name });
      return source;
    }
    const { parent, mount } = place;
    const wire = mount && parent?.wirings.get(mount)?.in.find(({ input }) => input === name);
    const source = parent && wire && sourceOf(parent, wire.from.name);
    if (source !== undefined && parent !== undefined && mount !== undefined)
      borders.push({ source, place: parent, mount, direction: "into", inner: name, outer: wire?.from.name ?? "" });
    return source;
  };
  for (const place of places) {
    // Every name is looked up, so that a border is found that no reader stands behind.
    for (const key of place.graph.inputs.map(keyOfEntry)) if (isStream(key)) sourceOf(place, key.name);
    for (const node of place.graph.nodes) {
      if (node.kind === "mount") {
        for (const { to } of place.wirings.get(node)?.out ?? []) if (isStream(to)) sourceOf(place, to.name);
        continue;
      }
      for (const entry of node.requires) {
        const key = keyOfEntry(entry);
        const source = isStream(key) ? sourceOf(place, key.name) : undefined;
        const path = pathIn(place, node.id);
        const group = entry.kind === "reading" ? entry.group : ownGroup(path);
        source?.readers.push({ path, key: key.name, group, place, node });
      }
    }
  }
  for (const { name } of graph.outputs.filter(isStream)) sourceOf(root, name)?.outputs.push(name);
  return { root, sources: [...sources.values()], borders };
}

function placeOf(
  graph: AnyGraph,
  path: string,
  parent: Place | undefined,
  mount: Mount | undefined,
  places: Place[],
): Place {
  const named = keysNamed(graph);
  const providers = new Map<string, Node | Mount>();
  const wirings = new Map<Mount, Wiring>();
  const children = new Map<Mount, Place>();
  const place = { graph, path, parent, mount, providers, wirings, children };
  places.push(place);
  for (const node of graph.nodes) {
    if (node.kind === "node") for (const { name } of node.provides) providers.set(name, node);
    else {
      const wiring = wiringOf(node, (key) => named.get(key.name) === key);
      wirings.set(node, wiring);
      for (const { to } of wiring.out) providers.set(to.name, node);
      children.set(node, placeOf(node.graph, pathIn(place, node.id), place, node, places));
    }
  }
  return place;
}
