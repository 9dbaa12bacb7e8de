import type { AttemptInspection, NodeInspection, RunInspection, ScopeInspection } from "@pulse-ts/durable";

/**
 * What a run has used up of its budgets, one line a node or try, the same for two runs that ended alike. What is void is
 * left out: how far the siblings of a failure came before they were stopped is a matter of time. Of a failed run only the
 * way down to what failed is told, for the same reason.
 */
export function budgetsOf({ status, root }: RunInspection): readonly string[] {
  return status === "failed" ? failedLines(root) : completedLines(root);
}

function completedLines(scope: ScopeInspection): readonly string[] {
  return scope.nodes.flatMap((node) => [
    `${node.path} ${node.state}`,
    ...node.attempts.flatMap((attempt) => attemptLines(node, attempt, "")),
    ...node.attempts.flatMap(validChildren).flatMap(completedLines),
  ]);
}

function attemptLines(node: NodeInspection, attempt: AttemptInspection, above: string): readonly string[] {
  const { boundary, index, limit, state, attempts } = attempt;
  const place = `${above}[${boundary}] ${index}/${limit}`;
  return [`${node.path} ${place} ${state}`, ...attempts.flatMap((inner) => attemptLines(node, inner, `${place} `))];
}

function validChildren({ state, child, attempts }: AttemptInspection): readonly ScopeInspection[] {
  return state === "failed" ? [] : [...(child === undefined ? [] : [child]), ...attempts.flatMap(validChildren)];
}

function failedLines(scope: ScopeInspection): readonly string[] {
  const failed = scope.nodes.filter(({ state }) => state === "failed");
  return failed.flatMap((node) => [
    ...node.attempts.flatMap((attempt) => attemptLines(node, attempt, "")),
    ...node.attempts.flatMap(lastChild).flatMap(failedLines),
  ]);
}

/** The child graph of the last try: the one that decided. */
function lastChild(attempt: AttemptInspection): readonly ScopeInspection[] {
  const inner = attempt.attempts.at(-1);
  if (inner !== undefined) return lastChild(inner);
  return attempt.child === undefined ? [] : [attempt.child];
}
