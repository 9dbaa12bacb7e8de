/** A ring of imports, the first file again at its end. */
export type Cycle = readonly string[];

/**
 * The rings in a graph of imports: one for each group of files that reach each other,
 * printed as a shortest way round from its first file.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): Cycle[] {
  const cycles: Cycle[] = [];
  const done = new Set<string>();
  for (const start of [...edges.keys()].toSorted()) {
    if (done.has(start)) continue;
    const way = shortestWayBack(edges, start);
    if (way === undefined) continue;
    cycles.push(way);
    for (const member of way) done.add(member);
  }
  return cycles;
}

function shortestWayBack(edges: ReadonlyMap<string, readonly string[]>, start: string): Cycle | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const next of edges.get(file) ?? []) {
      if (next === start) return [...trail(cameFrom, start, file), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function trail(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const way = [end];
  for (let file = end; file !== start;) {
    const before = cameFrom.get(file);
    if (before === undefined) break;
    way.unshift(before);
    file = before;
  }
  return way;
}
