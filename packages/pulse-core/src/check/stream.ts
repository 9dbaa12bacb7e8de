import type { Aspect } from "../aspects/aspect.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import type { AnyGraph } from "../mount.ts";
import { isStream, pathIn, planOf } from "../streams/plan.ts";
import type { BorderPlan, Place as StreamPlace, ReaderPlan, SourcePlan, StreamPlan } from "../streams/plan.ts";
import type { Place } from "./place.ts";
import type { Report } from "./problem.ts";
import { plainlyNeeded } from "./stream-waits.ts";

/** What is wrong with the streams of a graph that is sound otherwise. Outputs need no reader yet (STR-11). */
export function checkStreams(graph: AnyGraph, report: Report): void {
  checkWires(graph, report);
  const plan = planOf(graph);
  for (const source of plan.sources) {
    const { key, path } = source;
    if (source.readers.length === 0 && source.outputs.length === 0)
      report(
        "PULSE_STREAM_UNREAD",
        placeIn(graph, source),
        `node "${path}" writes stream "${key.name}", but nothing reads it; add a reader, or make it an output that the host subscribes to`,
        [path, key.name],
      );
  }
  checkRetries(graph, plan, undefined, report);
  checkWaits(graph, plan, report);
}

const placeIn = (graph: AnyGraph, { path }: { readonly path: string }): Place => ({
  graph: graph.name,
  kind: "node",
  id: path,
});

/** A stream passes a mount as a stream, a value as a value (STR-14). */
function checkWires(graph: AnyGraph, report: Report): void {
  for (const mount of graph.nodes) {
    if (mount.kind !== "mount") continue;
    const place: Place = { graph: graph.name, kind: "mount", id: mount.id };
    const both = (outer: ReturnType<typeof keyOfEntry>, inner: ReturnType<typeof keyOfEntry>): void => {
      if (isStream(outer) === isStream(inner)) return;
      const kindOf = (key: typeof outer): string => (isStream(key) ? "the stream" : "the plain key");
      const message = `mount "${mount.id}" joins ${kindOf(outer)} "${outer.name}" to ${kindOf(inner)} "${inner.name}" of graph "${mount.graph.name}"; a stream is passed by stream keys alone`;
      report("PULSE_STREAM_HIDDEN", place, message, [outer.name, inner.name]);
    };
    const inputs = new Map(mount.graph.inputs.map(keyOfEntry).map((key) => [key.name, key]));
    for (const [name, outer] of Object.entries(mount.in)) both(outer, inputs.get(name) ?? outer);
    for (const output of mount.graph.outputs) both(mount.out?.[output.name] ?? output, output);
    for (const name of Object.keys(mount.fix)) {
      const key = inputs.get(name);
      if (key === undefined || !isStream(key)) continue;
      const message = `mount "${mount.id}" gives a constant to the stream "${name}" of graph "${mount.graph.name}"; wire a stream to it`;
      report("PULSE_STREAM_HIDDEN", place, message, [name]);
    }
  }
}

/**
 * Streams under retries (STR-32, STR-33). Without `outer` the aspects of graphs, nodes and mounts are looked at; with it
 * those of an execution alone, for the others have been.
 */
export function checkRetries(
  graph: AnyGraph,
  { sources, borders }: StreamPlan,
  outer: readonly Aspect[] | undefined,
  report: Report,
): void {
  const retried = (place: StreamPlace, own: readonly Aspect[]): boolean =>
    (outer ?? [...place.graph.aspects, ...own]).some(({ limit }) => limit !== undefined && limit > 1);
  const where = outer === undefined ? "" : " by the aspects of the execution";
  for (const source of sources) {
    const { key, node, path, place } = source;
    if (node.resumable || !retried(place, node.aspects)) continue;
    const message = `node "${path}" writes stream "${key.name}" and is retried${where}; declare it resumable, if its next try goes on from position(), or take the retry away`;
    report("PULSE_STREAM_RETRIED", placeIn(graph, source), message, [path, key.name]);
  }
  for (const border of borders) {
    const { source, place, mount, direction } = border;
    if (!retried(place, mount.aspects)) continue;
    const path = pathIn(place, mount.id);
    const [from, to] = endsOf(border);
    const message = `stream "${source.key.name}" goes from "${from}" ${direction} mount "${path}" to "${to}", and the mount is retried${where}; a stream may not cross the border of a retried mount`;
    report("PULSE_STREAM_RETRIED", { graph: graph.name, kind: "mount", id: path }, message, [source.path, path, to]);
  }
}

/** The writer, and who has the stream behind the border: a reader, else the key. */
function endsOf({ source, place, mount, direction, inner, outer }: BorderPlan): readonly [string, string] {
  const path = pathIn(place, mount.id);
  const behind = (reader: ReaderPlan): boolean => reader.path.startsWith(`${path}/`) === (direction === "into");
  const key = direction === "into" ? `${path}/${inner}` : pathIn(place, outer);
  return [source.path, source.readers.find(behind)?.path ?? key];
}

/** A reader that waits for the end of its writer, which waits for it (STR-41). */
function checkWaits(graph: AnyGraph, { sources }: StreamPlan, report: Report): void {
  const readers = new Map<string, { reader: ReaderPlan; sources: SourcePlan[] }>();
  for (const source of sources)
    for (const reader of source.readers) {
      const known = readers.get(reader.path);
      if (known === undefined) readers.set(reader.path, { reader, sources: [source] });
      else known.sources.push(source);
    }
  for (const { reader, sources: read } of readers.values()) {
    const needed = plainlyNeeded(reader.place, reader.node);
    for (const source of read) {
      const over = needed(source);
      if (over === undefined) continue;
      const { path, key } = source;
      const message = `node "${reader.path}" reads stream "${key.name}" of "${path}", and waits over key "${over}" for the end of that node, which waits for it once the stream is full; take one of the two away`;
      report("PULSE_STREAM_DEADLOCK", placeIn(graph, reader), message, [path, reader.path]);
    }
  }
}
