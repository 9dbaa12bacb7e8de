import type {
  DefinitionView,
  GraphView,
  KeyView,
  NodeView,
  Provider,
  StreamView,
} from "../integrity/definition-view.ts";
import type { ReplacedParts } from "./definition.ts";
import { pathIn, streamId } from "./prepared.ts";
import type { PreparedGraph, PreparedMount, PreparedStream } from "./prepared.ts";

/** What the view is made of. */
export interface ViewParts {
  readonly graphs: ReadonlyMap<string, PreparedGraph>;
  readonly streams: Iterable<PreparedStream>;
  readonly outline: Readonly<Record<string, string>>;
  readonly replaced: ReplacedParts;
}

/** The definition as the checks of a loaded record take it (REC-18, REC-19). Of what is prepared alone: nothing else need be kept for it. */
export function definitionView({ graphs, streams, outline, replaced }: ViewParts): DefinitionView {
  const views = new Map<string, GraphView & { nodes: Map<string, NodeView>; providers: Map<string, Provider> }>();
  for (const { graph, path, inputs } of graphs.values()) {
    const providers = new Map<string, Provider>([...inputs.keys()].map((name) => [name, { kind: "given" }]));
    views.set(path, { graph, nodes: new Map(), providers });
  }
  const named = namedStreams(streams);
  const replacedKeys = new Set(replaced.keys.map((key) => key.path));
  for (const place of graphs.values()) {
    const view = views.get(place.path);
    for (const node of place.nodes.values()) {
      const provides = node.provides.map(({ name, codec }): KeyView => {
        const stream = named.get(streamId(place.path, name));
        return { name, codec: codec.id, codecVersion: codec.version, ...(stream && { stream }) };
      });
      const provider: Provider = { kind: "node", nodeId: node.id };
      for (const { name } of provides) view?.providers.set(name, provider);
      const overridden =
        replacedKeys.size > 0 && provides.some(({ name }) => replacedKeys.has(pathIn(place.path, name)));
      view?.nodes.set(node.id, {
        requires: node.mount !== undefined || overridden ? none : node.requires,
        provides,
        boundaries: node.boundaries ?? none,
        ...(node.mount === undefined ? undefined : { child: childView(node.path, node.mount) }),
      });
      const child = views.get(node.path);
      for (const source of node.mount?.sources ?? none) {
        if (source.kind === "in") child?.providers.set(source.name, { kind: "outer", key: source.from });
      }
    }
  }
  return { graph: (path) => views.get(path), outline };
}

/** The streams by every name that they have. */
function namedStreams(streams: Iterable<PreparedStream>): ReadonlyMap<string, StreamView> {
  const named = new Map<string, StreamView>();
  for (const { path, key, position, capacity, resumable, readers, names } of streams) {
    const view: StreamView = {
      ...nodePlace(path),
      key: key.name,
      capacity,
      resumable,
      position: { codec: position.codec.id, codecVersion: position.codec.version },
      readers: readers.map((reader) => ({ ...nodePlace(reader.path), group: reader.group })),
    };
    for (const name of names) named.set(streamId(name.path, name.key), view);
  }
  return named;
}

/** A node's path, as the path of its graph and its id. */
function nodePlace(path: string): { readonly path: string; readonly nodeId: string } {
  const cut = path.lastIndexOf("/");
  return { path: path.slice(0, Math.max(0, cut)), nodeId: path.slice(cut + 1) };
}

/** One empty list for all: most nodes have no retries. */
const none: readonly never[] = [];

function childView(path: string, { fingerprint, sources }: PreparedMount): NonNullable<NodeView["child"]> {
  return { path, fingerprint, inputs: sources };
}
