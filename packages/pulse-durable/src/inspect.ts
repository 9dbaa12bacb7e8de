import { handledByAttempt } from "./inspect-handled.ts";
import type { HandledInspection } from "./inspect-handled.ts";
import { outputInspection } from "./inspect-output.ts";
import type { OutputInspection } from "./inspect-output.ts";
import { streamsByAttempt } from "./inspect-streams.ts";
import type { StreamInspection } from "./inspect-streams.ts";
import { idsKey } from "./record/entry-key.ts";
import type { AttemptEntry, AttemptState, RunRecord, RunStatus } from "./record/format.ts";

/** A run as its record shows it (DUR-14): plain data, a copy. */
export interface RunInspection {
  readonly runId: string;
  readonly status: RunStatus;
  readonly revision: number;
  readonly version: string;
  readonly resumes: number;
  /** The text of the failure that ended the run, if the host opted to keep it. */
  readonly failure?: string;
  readonly root: ScopeInspection;
}

export interface ScopeInspection {
  readonly scope: string;
  readonly graph: string;
  /** Empty for the root, else the path of the mount. */
  readonly path: string;
  /** Nodes that have an attempt or a result in the record, by id. */
  readonly nodes: readonly NodeInspection[];
}

export interface NodeInspection {
  readonly nodeId: string;
  readonly path: string;
  /** `completed` and `skipped` are confirmed; `active` may run again; `failed` has finally failed in this scope. */
  readonly state: "completed" | "skipped" | "active" | "failed";
  readonly outputs: readonly OutputInspection[];
  readonly attempts: readonly AttemptInspection[];
  /** The streams that it has opened, by key; absent when it has opened none. */
  readonly streams?: readonly StreamInspection[];
  /** What it made of the messages that it handles; absent as long as none was tried twice or confirmed. */
  readonly handled?: HandledInspection;
}

export interface AttemptInspection {
  readonly id: string;
  readonly boundary: string;
  readonly index: number;
  readonly limit: number;
  readonly state: AttemptState;
  /** Retry attempts inside this one. */
  readonly attempts: readonly AttemptInspection[];
  /** The child graph that a mount opened in this attempt. */
  readonly child?: ScopeInspection;
}

/** The record as a tree of scopes, nodes, attempts and streams. Linear in the record; no value is decoded. */
export function inspectRecord(record: RunRecord): RunInspection {
  const { runId, status, revision, version, resumes, failure, rootScope } = record.header;
  const root = scopeInspection(
    { record, children: childrenOf(record), streams: streamsByAttempt(record), handled: handledByAttempt(record) },
    rootScope,
  );
  return { runId, status, revision, version, resumes, ...(failure === undefined ? {} : { failure }), root };
}

/** Attempts by their parent: a scope or an outer attempt. */
type Children = ReadonlyMap<string, readonly (readonly [string, AttemptEntry])[]>;

function childrenOf({ attempts }: RunRecord): Children {
  const children = new Map<string, (readonly [string, AttemptEntry])[]>();
  for (const attempt of attempts) {
    const { parent } = attempt[1];
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [attempt]);
    else siblings.push(attempt);
  }
  for (const siblings of children.values()) {
    siblings.sort(([, one], [, other]) => one.boundary.localeCompare(other.boundary) || one.index - other.index);
  }
  return children;
}

interface Inspected {
  readonly record: RunRecord;
  readonly children: Children;
  readonly streams: ReturnType<typeof streamsByAttempt>;
  readonly handled: ReturnType<typeof handledByAttempt>;
}

function scopeInspection(inspected: Inspected, scope: string): ScopeInspection {
  const { record, children, streams, handled } = inspected;
  const { graph = "", path = "" } = record.scopes.get(scope) ?? {};
  // A child scope has the id of its attempt, under which retry attempts stand as well: those have a boundary.
  const roots = (children.get(scope) ?? []).filter(([, { boundary }]) => boundary === "");
  const nodes = roots.map(([id, attempt]): NodeInspection => {
    const { nodeId } = attempt;
    const node = record.nodes.get(idsKey(scope, nodeId));
    const state = node?.reason ?? (attempt.state === "failed" ? "failed" : "active");
    return {
      nodeId,
      path: path === "" ? nodeId : `${path}/${nodeId}`,
      state,
      outputs: node?.outputs.map(outputInspection) ?? [],
      attempts: [attemptInspection(inspected, id, attempt)],
      ...fieldOf("streams", streams.get(id)),
      ...fieldOf("handled", handled.get(id)),
    };
  });
  return { scope, graph, path, nodes: nodes.toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1)) };
}

function attemptInspection(inspected: Inspected, id: string, attempt: AttemptEntry): AttemptInspection {
  const { record, children } = inspected;
  const { boundary, index, limit, state } = attempt;
  const inner = (children.get(id) ?? []).filter(([, entry]) => entry.boundary !== "");
  return {
    id,
    boundary,
    index,
    limit,
    state,
    attempts: inner.map(([innerId, entry]) => attemptInspection(inspected, innerId, entry)),
    ...(record.scopes.has(id) ? { child: scopeInspection(inspected, id) } : {}),
  };
}

/** A field that is absent rather than undefined. */
function fieldOf<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Field in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Field in Name]: Value });
}
