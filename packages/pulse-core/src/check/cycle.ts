import type { Problem } from "../errors.ts";
import { pathOf, textOf } from "./place.ts";
import { problem, wordOf } from "./problem.ts";
import type { Providers } from "./providers.ts";
import type { Part, View } from "./view.ts";

/** So many nodes of a ring are printed. */
const printedMax = 20;

/** Rings of parts, and outputs that no run could reach (CORE-26). A mount counts as one node (CORE-47). */
export function checkCycles({ place: graph, parts, outputs }: View, providers: Providers): Problem[] {
  const problems: Problem[] = [];
  const needs = parts.map(({ reads }) => {
    const from: number[] = [];
    for (const { key } of reads) {
      const provider = providers.get(key.name) ?? -1;
      if (provider >= 0) from.push(provider);
    }
    return from;
  });
  /** By part: the part whose fault it is that this one never starts. */
  const stuck = new Map<number, Part>();
  for (const ring of ringsOf(needs)) {
    const [index] = ring as [number];
    const part = parts[index] as Part;
    if (ring.length > 1 || needs[index]?.includes(index)) {
      for (const member of ring) stuck.set(member, part);
      problems.push(cycle(roundTrip(ring, needs).map((member) => parts[member] as Part)));
      continue;
    }
    // Rings come in order of need: what this one needs has been judged.
    const cause = part.reads.some(({ key }) => !providers.has(key.name))
      ? part
      : needs[index]?.map((from) => stuck.get(from)).find((found) => found !== undefined);
    if (cause !== undefined) stuck.set(index, cause);
  }
  for (const { name } of outputs) {
    const cause = stuck.get(providers.get(name) ?? -1)?.place;
    if (cause === undefined) continue;
    const message = `output "${name}" of ${textOf(graph)} is never reached, because ${textOf(cause)} can never start`;
    problems.push(problem("PULSE_OUTPUT_UNREACHABLE", pathOf(graph), message, [pathOf(cause), name]));
  }
  return problems;
}

function cycle(ring: readonly Part[]): Problem {
  const [first] = ring as [Part];
  const shown = ring.slice(0, printedMax);
  const keys = shown.map(({ writes }, at) => {
    const provided = new Set(writes.map(({ name }) => name));
    return `"${ring[(at + 1) % ring.length]?.reads.find(({ key }) => provided.has(key.name))?.key.name}"`;
  });
  const more = ring.length > shown.length ? [`… (${ring.length - shown.length} more)`] : [];
  const round = [...shown.map(({ place }) => wordOf(place.id)), ...more, wordOf(first.place.id)].join(" -> ");
  const message = `nodes wait for each other in a ring, so none can start: ${round}, over ${keys.join(", ")}`;
  const paths = shown.map(({ place }) => pathOf(place));
  return problem("PULSE_CYCLE", pathOf(first.place), message, paths);
}

/** One way round inside a ring, each part followed by one that needs it, beginning at the part that stands first. */
function roundTrip(ring: readonly number[], needs: readonly (readonly number[])[]): number[] {
  const inside = new Set(ring);
  const at = new Map<number, number>();
  let current = lowest(ring);
  while (!at.has(current)) {
    at.set(current, at.size);
    current = needs[current]?.find((from) => inside.has(from)) as number;
  }
  // Walked from each part to what it needs, so the way of the data is the reverse.
  const round = [...at.keys()].slice(at.get(current)).reverse();
  const start = round.indexOf(lowest(round));
  return [...round.slice(start), ...round.slice(0, start)];
}

// Not by `Math.min(...indexes)`: too many arguments overflow the stack.
const lowest = (indexes: readonly number[]): number => indexes.reduce((low, index) => (index < low ? index : low));

/**
 * Sorts parts into the groups in which each needs each other over some way, groups that are needed first
 * (Tarjan's algorithm, without recursion, so that 100,000 parts in a row do not overflow the stack).
 */
function ringsOf(needs: readonly (readonly number[])[]): number[][] {
  const rings: number[][] = [];
  const order = new Int32Array(needs.length);
  const low = new Int32Array(needs.length);
  const next = new Int32Array(needs.length);
  const open: number[] = [];
  const isOpen = new Set<number>();
  let count = 0;
  for (let root = 0; root < needs.length; root++) {
    const walk = order[root] === 0 ? [root] : [];
    while (walk.length > 0) {
      const index = walk.at(-1) as number;
      if (order[index] === 0) {
        order[index] = low[index] = ++count;
        open.push(index);
        isOpen.add(index);
      }
      const need = needs[index]?.[next[index] as number];
      next[index] = (next[index] as number) + 1;
      if (need !== undefined) {
        if (order[need] === 0) walk.push(need);
        else if (isOpen.has(need)) low[index] = Math.min(low[index] as number, order[need] as number);
        continue;
      }
      walk.pop();
      const above = walk.at(-1);
      if (above !== undefined) low[above] = Math.min(low[above] as number, low[index] as number);
      if (low[index] !== order[index]) continue;
      const ring = open.splice(open.lastIndexOf(index));
      for (const member of ring) isOpen.delete(member);
      rings.push(ring);
    }
  }
  return rings;
}
