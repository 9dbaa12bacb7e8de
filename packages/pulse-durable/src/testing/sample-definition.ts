import type {
  ChildView,
  DefinitionView,
  GraphView,
  KeyView,
  NodeView,
  Provider,
} from "../integrity/definition-view.ts";
import { digestOf } from "./sample-record.ts";

/**
 * The definition that the tests' records are of: graph `order` with `fetch` (a retry), the mount `score` (a retry around a
 * child graph that reads `page` from outside, its `weigh` with a retry inside a retry), and `report`.
 */
export const sampleDefinition: DefinitionView = { graph: (path) => graphs.get(path) };

/** How many nodes the root graph has. */
export const rootNodes = 3;

const keyView = (name: string): KeyView => ({ name, codec: "string", codecVersion: "1" });
const node = (provides: readonly string[], fields: Partial<NodeView> = {}): NodeView => ({
  requires: [],
  provides: provides.map(keyView),
  boundaries: [],
  ...fields,
});
const by = (nodeId: string): Provider => ({ kind: "node", nodeId });

/** The mounted graph, with a fixed `scale`. */
const scoring: ChildView = {
  path: "score",
  fingerprint: digestOf("child"),
  inputs: [
    { kind: "in", name: "text", from: "page" },
    { kind: "fix", name: "scale", fingerprint: digestOf("2") },
    { kind: "none", name: "hint" },
  ],
};

const graphs = new Map<string, GraphView>([
  [
    "",
    {
      graph: "order",
      nodes: new Map([
        ["fetch", node(["page"], { requires: ["url"], boundaries: [{ boundary: "0", limit: 3 }] })],
        ["score", node(["score"], { boundaries: [{ boundary: "0", limit: 2 }], child: scoring })],
        ["report", node(["report", "note"], { requires: ["page", "score"] })],
      ]),
      providers: new Map<string, Provider>([
        ["url", { kind: "given" }],
        ["page", by("fetch")],
        ["score", by("score")],
      ]),
    },
  ],
  [
    "score",
    {
      graph: "scoring",
      nodes: new Map([
        [
          "weigh",
          node(["weight"], {
            requires: ["text", "scale"],
            boundaries: [
              { boundary: "1", limit: 2 },
              { boundary: "2", limit: 2 },
            ],
          }),
        ],
        ["sum", node(["total"], { requires: ["weight"] })],
      ]),
      providers: new Map<string, Provider>([
        ["text", { kind: "outer", key: "page" }],
        ["scale", { kind: "given" }],
        ["hint", { kind: "given" }],
        ["weight", by("weigh")],
      ]),
    },
  ],
]);
