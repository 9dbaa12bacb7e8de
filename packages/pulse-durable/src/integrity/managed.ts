import { parseIds } from "../record/entry-key.ts";
import type { ManagedEntry, ReadyValue, SkippedValue, ValueRecord } from "../record/format.ts";
import { codecProblem } from "./codecs.ts";
import type { KeyView } from "./definition-view.ts";
import { handlerScope } from "./message-tries.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/**
 * A managed record is of a node that confirmed a message (REC-22), and holds plain values of that node alone, each once
 * (REC-13, STR-52). `confirmed`: the managed records that a confirmed try calls for.
 */
export function managedProblems(parts: CheckedParts, confirmed: ReadonlySet<string>): readonly RecordProblem[] {
  const { record, definition } = parts;
  const problems: RecordProblem[] = [];
  for (const [ids, entry] of record.managed) {
    const key = `managed/${ids}`;
    // The shapes were checked: there are three ids.
    const [scope, parent, nodeId] = parseIds("managed", ids) as [string, string, string];
    if (handlerScope(parts, nodeId, parent) !== scope) {
      const node = JSON.stringify(nodeId);
      problems.push(corrupt(key, "", `${parent} is no root attempt of the node ${node} in the scope ${scope}`));
    }
    if (!confirmed.has(ids)) problems.push(corrupt(key, "", "no message of its node is confirmed"));
    if (entry.state !== undefined && entry.state.name !== "") {
      problems.push(corrupt(key, "state", `is named ${JSON.stringify(entry.state.name)}`));
    }
    addAll(problems, valueProblems(key, entry));
    const path = record.scopes.get(scope)?.path;
    if (definition === undefined || path === undefined) continue;
    const provides = definition.graph(path)?.nodes.get(nodeId)?.provides;
    if (provides === undefined) {
      problems.push(otherDefinition(key, "", `the definition does not have ${nodeAt(path, nodeId)}`));
    } else addAll(problems, declaredProblems(key, entry, provides));
  }
  return problems;
}

function valueProblems(key: string, { values }: ManagedEntry): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const seen = new Set<string>();
  for (const value of values as readonly ValueRecord[]) {
    const { name, state } = value;
    if (state === "stream") problems.push(corrupt(key, fieldOf(value), "is a stream, which no message contributes"));
    if (seen.has(name)) problems.push(corrupt(key, fieldOf(value), "is there twice"));
    seen.add(name);
  }
  return problems;
}

function declaredProblems(
  key: string,
  { values }: ManagedEntry,
  provides: readonly KeyView[],
): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const keys = new Map(provides.map((provided) => [provided.name, provided]));
  for (const value of values) {
    const declared = keys.get(value.name);
    const other = declared === undefined ? undefined : codecProblem(key, fieldOf(value), value, declared);
    if (declared === undefined) problems.push(otherDefinition(key, fieldOf(value), "is no key that the node provides"));
    else if (declared.stream !== undefined) problems.push(corrupt(key, fieldOf(value), "is the key of a stream"));
    else if (other !== undefined) problems.push(other);
  }
  return problems;
}

const fieldOf = ({ name }: ReadyValue | SkippedValue | ValueRecord): string => `values ${JSON.stringify(name)}`;
