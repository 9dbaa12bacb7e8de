import { expect, test } from "vitest";
import { z } from "zod";
import { aspect } from "./aspects/aspect.ts";
import { graph } from "./graph.ts";
import { key, optional } from "./key.ts";
import { mount } from "./mount.ts";
import { topology } from "./topology.ts";
import { anyKey, numberKey } from "./testing/keys.ts";
import { part } from "./testing/parts.ts";

const watch = aspect("watch", (_context, next) => next());
const user = key("user", z.string());
const limit = numberKey("limit");
const score = numberKey("score");
const points = numberKey("points");
const report = anyKey("report");

const scoring = graph("scoring", {
  inputs: [user, optional(limit)],
  outputs: [score],
  nodes: [part("rate", [user, optional(limit)], [score])],
});
const shop = graph("shop", {
  inputs: [user],
  outputs: [report, user],
  nodes: [
    mount("scored", scoring, { fix: { limit: 3 }, out: { score: points }, aspects: [watch] }),
    part("write", [optional(points), user], [report]),
  ],
  aspects: [watch],
});

test("CORE-27 topology() gives nodes, ports, mounts and edges, children nested", () => {
  const userPort = { name: "user", type: "zod", optional: false };
  const scorePort = { name: "score", type: "number", optional: false };
  const limitPort = { name: "limit", type: "number", optional: true };
  expect(topology(shop)).toEqual({
    name: "shop",
    inputs: [userPort],
    outputs: [{ name: "report", type: "unknown", optional: false }, userPort],
    nodes: [
      {
        kind: "mount",
        id: "scored",
        path: "scored",
        in: [{ input: "user", from: "user" }],
        fix: ["limit"],
        out: [{ output: "score", to: "points" }],
        aspects: ["watch"],
        graph: {
          name: "scoring",
          inputs: [userPort, limitPort],
          outputs: [scorePort],
          nodes: [
            {
              kind: "node",
              id: "rate",
              path: "scored/rate",
              requires: [userPort, limitPort],
              provides: [scorePort],
              aspects: [],
            },
          ],
          edges: [
            { key: "user", from: null, to: "rate", optional: false },
            { key: "limit", from: null, to: "rate", optional: true },
            { key: "score", from: "rate", to: null, optional: false },
          ],
          aspects: [],
        },
      },
      {
        kind: "node",
        id: "write",
        path: "write",
        requires: [{ name: "points", type: "number", optional: true }, userPort],
        provides: [{ name: "report", type: "unknown", optional: false }],
        aspects: [],
      },
    ],
    edges: [
      { key: "user", from: null, to: "scored", optional: false },
      { key: "points", from: "scored", to: "write", optional: true },
      { key: "user", from: null, to: "write", optional: false },
      { key: "report", from: "write", to: null, optional: false },
      { key: "user", from: null, to: null, optional: false },
    ],
    aspects: ["watch"],
  });
});

test("CORE-27 topology() is plain JSON: nothing is lost on the way through text", () => {
  const shape = topology(shop);
  expect(JSON.parse(JSON.stringify(shape))).toEqual(shape);
});

test("CORE-27 a key that feeds two inputs of a mount is one edge", () => {
  const pair = graph("pair", { inputs: [limit, score], nodes: [] });
  const outer = graph("outer", {
    inputs: [points],
    nodes: [mount("m", pair, { in: { limit: points, score: points } })],
  });
  expect(topology(outer).edges).toEqual([{ key: "points", from: null, to: "m", optional: false }]);
});

test("CORE-27 an optional input of a mount that nobody feeds has no edge", () => {
  const outer = graph("outer", { inputs: [user], outputs: [score], nodes: [mount("m", scoring)] });
  expect(topology(outer).nodes[0]).toMatchObject({ in: [{ input: "user", from: "user" }], fix: [] });
});

test("CKPT-39 a graph is described before any host is there", () => {
  expect(topology(graph("order", { outputs: [report], nodes: [part("write", [], [report])] })).outputs).toHaveLength(1);
});
