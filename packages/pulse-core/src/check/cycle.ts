import { textOf, wordOf } from "./place.ts";
import type { Report } from "./problem.ts";
import type { Providers } from "./providers.ts";
import type { Part, View } from "./view.ts";

/** So many nodes of a ring are printed. */
const printedMax = 20;

/**
 * Rings of parts, and outputs that no run could reach (CORE-26). A mount counts as one node (CORE-47). Of rings that
 * share a part one is told: they are cut together. Without recursion: 100,000 parts in a row do not overflow the stack.
 */
export function checkCycles({ place: graph, parts, outputs }: View, providers: Providers, report: Report): void {
  /** By part: the part whose fault it is that this one never starts. */
  const stuck = new Map<number, Part>();
  /** By part in a ring: where on the way the ring, and all that shares a part with it, begins. */
  const ringStart = new Map<number, number>();
  /** By part: its place on the way from the root, counted from 1; 0 before it is entered, -1 when it has been left. */
  const onWay = new Int32Array(parts.length);
  const way: { readonly index: number; next: number }[] = [];
  const enter = (index: number): void => void (onWay[index] = way.push({ index, next: 0 }));
  const blame = (index: number | undefined, cause: Part | undefined): void => {
    if (index !== undefined && cause !== undefined && !stuck.has(index)) stuck.set(index, cause);
  };

  for (let root = 0; root < parts.length; root++) {
    if (onWay[root] === 0) enter(root);
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const { index } = step;
      const part = parts[index] as Part;
      const read = part.reads[step.next++];
      if (read === undefined) {
        way.pop();
        onWay[index] = -1;
        blame(way.at(-1)?.index, stuck.get(index));
        continue;
      }
      const need = providers.get(read.key.name);
      if (need === undefined) blame(index, part);
      else if (onWay[need] === 0) enter(need);
      else if (onWay[need] === -1) blame(index, stuck.get(need));
      else if (need >= 0) closeRing((onWay[need] as number) - 1, parts[need] as Part);
    }
  }
  for (const { name } of outputs) {
    const cause = stuck.get(providers.get(name) ?? -1)?.place;
    if (cause === undefined) continue;
    const message = `output "${name}" of ${textOf(graph)} is never reached, because ${textOf(cause)} can never start`;
    report("PULSE_OUTPUT_UNREACHABLE", graph, message, [cause, name]);
  }

  /** The way from `start` to its end is a ring. */
  function closeRing(start: number, cause: Part): void {
    let shares = false;
    for (let at = way.length - 1; at >= start;) {
      const each = (way[at] as { readonly index: number }).index;
      const known = ringStart.get(each);
      // From there up to here all are marked already: looking at each again and again would not be linear.
      at = (known ?? at) - 1;
      shares ||= known !== undefined;
      ringStart.set(each, Math.min(known ?? start, start));
      blame(each, cause);
    }
    if (shares) return;
    const ring = way.slice(start).map(({ index }) => index);
    reportRing(ring, parts, report);
  }
}

/** `ring` goes from each part to one that it needs. It is told the way of the data, from the part that stands first. */
function reportRing(ring: readonly number[], parts: readonly Part[], report: Report): void {
  // Not by `Math.min(...ring)`: too many arguments overflow the stack.
  const first = ring.indexOf(ring.reduce((low, index) => (index < low ? index : low)));
  const round = [...ring.slice(first + 1), ...ring.slice(0, first + 1)].reverse().map((index) => parts[index] as Part);
  const shown = round.slice(0, printedMax);
  const keys = shown.map(({ writes }, at) => {
    const provided = new Set(writes.map(({ name }) => name));
    return `"${round[(at + 1) % round.length]?.reads.find(({ key }) => provided.has(key.name))?.key.name}"`;
  });
  const ids = shown.map(({ place }) => wordOf(place.id));
  if (round.length > shown.length) ids.push(`… (${round.length - shown.length} more)`);
  const message = `nodes wait for each other in a ring, so none can start: ${[...ids, ids[0]].join(" -> ")}, over ${keys.join(", ")}`;
  const places = shown.map(({ place }) => place);
  report("PULSE_CYCLE", places[0] as Part["place"], message, places);
}
