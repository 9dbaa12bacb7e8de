import type {
  DefinitionView,
  GraphView,
  KeyView,
  NodeView,
  Provider,
  StreamView,
} from "../integrity/definition-view.ts";
import { digestOf } from "./sample-record.ts";

/**
 * The definition that the tests' records with streams are of: graph `order`, whose `read` writes `rows` and `log` for `handle`
 * and `tail`; the mount `box`, whose `make` writes a stream that `use` reads inside and `last`, under the name `out`, outside;
 * and the mount `again`, a retry around `gen` and `eat` with a stream of their own.
 */
export const streamDefinition: DefinitionView = { graph: (path) => graphs.get(path) };

/** The same, whose `read` cannot continue (STR-48). */
export const unresumableDefinition: DefinitionView = { graph: (path) => unresumable.get(path) };

const codec = { codec: "string", codecVersion: "1" } as const;
const plain = (name: string): KeyView => ({ name, ...codec });
const node = (provides: readonly KeyView[], fields: Partial<NodeView> = {}): NodeView => ({
  requires: [],
  provides,
  boundaries: [],
  ...fields,
});
const by = (nodeId: string): Provider => ({ kind: "node", nodeId });

const streamOf = (path: string, nodeId: string, key: string, readers: StreamView["readers"]): StreamView => ({
  path,
  nodeId,
  key,
  capacity: 4,
  resumable: true,
  position: codec,
  readers,
});
const rows = streamOf("", "read", "rows", [
  { path: "", nodeId: "handle", group: "handle" },
  { path: "", nodeId: "tail", group: "shared/1" },
]);
const log = streamOf("", "read", "log", [{ path: "", nodeId: "tail", group: "tail" }]);
const inner = streamOf("box", "make", "inner", [
  { path: "box", nodeId: "use", group: "box/use" },
  { path: "", nodeId: "last", group: "last" },
]);
const items = streamOf("again", "gen", "items", [{ path: "again", nodeId: "eat", group: "again/eat" }]);

const child = (path: string) => ({ path, fingerprint: digestOf(path), inputs: [] });

function graphsWith(resumable: boolean): ReadonlyMap<string, GraphView> {
  const written = (stream: StreamView): KeyView => ({ ...plain(stream.key), stream: { ...stream, resumable } });
  const around = [{ boundary: "0", limit: 2 }];
  return new Map<string, GraphView>([
    [
      "",
      {
        graph: "order",
        nodes: new Map([
          ["read", node([written(rows), written(log)])],
          ["handle", node([plain("total"), plain("note")])],
          ["tail", node([])],
          ["box", node([{ ...plain("out"), stream: { ...inner, resumable } }], { child: child("box") })],
          ["last", node([])],
          ["again", node([], { child: child("again"), boundaries: around })],
        ]),
        providers: new Map([
          ["rows", by("read")],
          ["log", by("read")],
          ["total", by("handle")],
          ["note", by("handle")],
          ["out", by("box")],
        ]),
      },
    ],
    [
      "box",
      {
        graph: "boxed",
        nodes: new Map([
          ["make", node([written(inner)])],
          ["use", node([])],
        ]),
        providers: new Map([["inner", by("make")]]),
      },
    ],
    [
      "again",
      {
        graph: "retried",
        nodes: new Map([
          ["gen", node([written(items)])],
          ["eat", node([])],
        ]),
        providers: new Map([["items", by("gen")]]),
      },
    ],
  ]);
}
const graphs = graphsWith(true);
const unresumable = graphsWith(false);
