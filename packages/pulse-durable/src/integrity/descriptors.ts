import { parseIds } from "../record/entry-key.ts";
import type { NodeEntry, StreamValue } from "../record/format.ts";
import type { StreamView } from "./definition-view.ts";
import { inOneInstance } from "./instances.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import type { SourceParts } from "./sources.ts";

/**
 * The descriptors among the outputs of confirmed nodes name a stream of the record: their own node's, or of a mount the one
 * that it passes on (REC-10, REC-29, STR-27, STR-51). Codecs are checked with the other outputs.
 */
export function descriptorProblems(
  parts: CheckedParts,
  sources: ReadonlyMap<string, SourceParts>,
): readonly RecordProblem[] {
  const { record, definition } = parts;
  const problems: RecordProblem[] = [];
  for (const [ids, node] of record.nodes) {
    for (const output of node.outputs) {
      if (output.state !== "stream") continue;
      const { name, stream } = output;
      const [key, field] = [`node/${ids}`, `outputs ${JSON.stringify(name)}`];
      const source = sources.get(stream.sourceId);
      if (source === undefined) {
        problems.push(corrupt(key, field, `the record has no stream ${stream.sourceId}`));
        continue;
      }
      const [scope] = parseIds("node", ids) as [string, string];
      const path = record.scopes.get(scope)?.path ?? "";
      const view = definition?.graph(path)?.nodes.get(node.nodeId);
      const passed = view?.provides.find((provided) => provided.name === name)?.stream;
      const isWriter =
        view === undefined
          ? source.first.scope === scope && source.first.nodeId === node.nodeId
          : view.child === undefined;
      const found = [
        ...sameProblems(output, source),
        ...(isWriter
          ? writerProblems(scope, node, output, source)
          : aliasProblems(parts, scope, passed, output, source)),
      ];
      addAll(
        problems,
        found.map((problem) => corrupt(key, field, problem)),
      );
    }
  }
  return problems;
}

/** What the descriptor repeats of its stream. */
function sameProblems({ stream }: StreamValue, { first }: SourceParts): readonly string[] {
  return (["attempt", "capacity"] as const)
    .filter((field) => stream[field] !== first[field])
    .map((field) => `${field} is ${stream[field]}, that of the stream ${first[field]}`);
}

/** Its own stream, which it completed (STR-34, STR-51). */
function writerProblems(scope: string, node: NodeEntry, output: StreamValue, source: SourceParts): readonly string[] {
  const { first, sourceId } = source;
  if (first.scope !== scope || first.nodeId !== node.nodeId || first.key !== output.name) {
    return [`names the stream ${sourceId}, which the node has not opened for it`];
  }
  const { end } = output.stream;
  return end === "completed" ? [] : [`end is ${end ?? "missing"}, but a confirmed node has completed its streams`];
}

/** The stream that the mount passes on, of its own instance; a known end is the stream's (STR-12, STR-27, STR-35). */
function aliasProblems(
  parts: CheckedParts,
  scope: string,
  passed: StreamView | undefined,
  { stream: { end } }: StreamValue,
  { first, sourceId, written }: SourceParts,
): readonly string[] {
  const isPassed = passed === undefined || written === undefined || isOne(passed, written.stream);
  if (!isPassed || (parts.definition !== undefined && !inOneInstance(parts, scope, first.scope))) {
    return [`names the stream ${sourceId}, which is not the one that the mount passes on`];
  }
  if (end === "canceled") return ["end is canceled, which no confirmed mount passes on"];
  return end === undefined || end === first.end ? [] : [`end is ${end}, that of the stream ${first.end}`];
}

function isOne(one: StreamView, other: StreamView): boolean {
  return one.path === other.path && one.nodeId === other.nodeId && one.key === other.key;
}
