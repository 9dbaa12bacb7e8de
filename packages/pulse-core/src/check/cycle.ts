import type { Problem } from "../errors.ts";
import { problem, wordOf } from "./problem.ts";
import type { Providers } from "./providers.ts";
import type { Part, View } from "./view.ts";

/** So many nodes of a ring are printed. */
const printedMax = 20;

/** Rings of parts, and outputs that no run could reach (CORE-26). A mount counts as one node (CORE-47). */
export function checkCycles({ text, name: graph, parts, outputs }: View, providers: Providers): Problem[] {
  const needs = parts.map(({ reads }) =>
    reads.map(({ key }) => providers.get(key.name)).filter((from) => from !== undefined && from >= 0),
  ) as number[][];
  const problems: Problem[] = [];
  /** By part: the part whose fault it is that this one never starts. */
  const stuck = new Map<number, Part>();
  for (const ring of ringsOf(needs)) {
    const [first] = ring as [number];
    const part = parts[first] as Part;
    if (ring.length === 1 && !needs[first]?.includes(first)) {
      // Rings come in order of need: what this one needs has been judged.
      const unprovided = part.reads.some(({ key }) => !providers.has(key.name));
      const fault = unprovided ? part : needs[first]?.map((from) => stuck.get(from)).find(Boolean);
      if (fault !== undefined) stuck.set(first, fault);
      continue;
    }
    for (const index of ring) stuck.set(index, part);
    problems.push(cycle(roundTrip(ring, needs).map((index) => parts[index] as Part)));
  }
  for (const { name } of outputs) {
    const fault = stuck.get(providers.get(name) ?? -1);
    if (fault !== undefined)
      problems.push(
        problem("PULSE_OUTPUT_UNREACHABLE", graph, `output "${name}" of ${text} is never reached: ${fault.text} never starts`, [
          fault.path,
          name,
        ]),
      );
  }
  return problems;
}

function cycle(ring: readonly Part[]): Problem {
  const [first] = ring as [Part];
  const shown = ring.slice(0, printedMax);
  const keys = shown.map(({ writes }, at) => {
    const next = ring[(at + 1) % ring.length] as Part;
    const provided = new Set(writes.map(({ name }) => name));
    return `"${next.reads.find(({ key }) => provided.has(key.name))?.key.name}"`;
  });
  const more = ring.length > shown.length ? [`… (${ring.length - shown.length} more)`] : [];
  const round = [...shown.map(({ id }) => wordOf(id)), ...more, wordOf(first.id)].join(" -> ");
  return problem(
    "PULSE_CYCLE",
    first.path,
    `nodes wait for each other in a ring, so none can start: ${round}, over ${keys.join(", ")}`,
    shown.map(({ path }) => path),
  );
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
