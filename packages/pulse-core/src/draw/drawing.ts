import type { MountShape, Topology } from "../topology.ts";

/** A graph as boxes and arrows, whatever language will say them. Ids are made here: no name of a user is one. */
export interface Drawing {
  readonly root: Cluster;
  readonly arrows: readonly Arrow[];
}

/** A graph with its ports and nodes, and the graphs that are mounted in it. */
export interface Cluster {
  readonly id: string;
  readonly label: string;
  readonly boxes: readonly Box[];
  readonly clusters: readonly Cluster[];
}

export interface Box {
  readonly id: string;
  readonly label: string;
  readonly shape: "node" | "input" | "output";
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Empty for an arrow from or to a port of the key's own name. */
  readonly label: string;
  readonly optional: boolean;
  /** Messages go this way, not one value. */
  readonly stream: boolean;
}

/** Where keys come out of a node or a mount, and where they go in; by key name of the graph it stands in. */
interface Ends {
  out(key: string): string;
  in(key: string): readonly string[];
}

/** Boxes and arrows for a graph: an arrow for each edge, from port to port where a mount's border is crossed. */
export function drawingOf(topology: Topology): Drawing {
  const arrows: Arrow[] = [];
  let count = 0;
  const nextId = (prefix: string): string => `${prefix}${count++}`;

  const draw = (graph: Topology, label: string, fixed: readonly string[]) => {
    const id = nextId("g");
    const ports = (names: readonly { readonly name: string }[], shape: "input" | "output") =>
      new Map(names.map(({ name }) => [name, { id: nextId(shape), label: name, shape }]));
    const inputs = ports(graph.inputs, "input");
    const outputs = ports(graph.outputs, "output");
    const boxes: Box[] = [...inputs.values()].map((box) =>
      fixed.includes(box.label) ? { ...box, label: `${box.label} (fixed)` } : box,
    );
    const clusters: Cluster[] = [];
    const ends = new Map<string | null, Ends>([
      [null, { out: (key) => inputs.get(key)?.id as string, in: (key) => [outputs.get(key)?.id as string] }],
    ]);
    for (const node of graph.nodes) {
      if (node.kind === "mount") {
        const child = draw(node.graph, `${node.id}: ${node.graph.name}`, node.fix);
        clusters.push(child.cluster);
        ends.set(node.id, mountEnds(node, child));
        continue;
      }
      const box: Box = { id: nextId("n"), label: node.id, shape: "node" };
      boxes.push(box);
      ends.set(node.id, { out: () => box.id, in: () => [box.id] });
    }
    for (const output of outputs.values()) boxes.push(output);
    for (const { key, from, to, optional, stream = false } of graph.edges) {
      // An edge joins what the same list has made above, so both ends are there.
      const source = (ends.get(from) as Ends).out(key);
      const targets = (ends.get(to) as Ends).in(key);
      const named = from === null || to === null;
      for (const target of targets)
        arrows.push({ from: source, to: target, label: named ? "" : key, optional, stream });
    }
    return { cluster: { id, label, boxes, clusters }, inputs, outputs };
  };

  return { root: draw(topology, topology.name, []).cluster, arrows };
}

function mountEnds(
  mount: MountShape,
  child: { readonly inputs: ReadonlyMap<string, Box>; readonly outputs: ReadonlyMap<string, Box> },
): Ends {
  const outputOf = new Map(mount.out.map(({ output, to }) => [to, output]));
  return {
    out: (key) => child.outputs.get(outputOf.get(key) as string)?.id as string,
    in: (key) => mount.in.filter(({ from }) => from === key).map(({ input }) => child.inputs.get(input)?.id as string),
  };
}
