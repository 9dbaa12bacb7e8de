import type { AttemptInspection, RunInspection, ScopeInspection } from "@pulse-ts/durable";
import { isWithin } from "./steps.ts";

/** Which of the steps the record of a run holds as confirmed: a resume does not do them again. */
export function confirmedSteps({ root }: Pick<RunInspection, "root">, steps: readonly string[]): Set<string> {
  const paths = confirmedPaths(root);
  return new Set(steps.filter((step) => paths.some((path) => isWithin(step, path))));
}

function confirmedPaths(scope: ScopeInspection): string[] {
  return scope.nodes.flatMap((node) =>
    // A confirmed mount stands for all that is in it (CKPT-25).
    node.state === "completed" || node.state === "skipped"
      ? [node.path]
      : node.attempts.flatMap(openScopes).flatMap(confirmedPaths),
  );
}

/** What a given-up attempt has confirmed is void. */
const openScopes = (attempt: AttemptInspection): ScopeInspection[] => [
  ...(attempt.child === undefined || attempt.state === "failed" ? [] : [attempt.child]),
  ...attempt.attempts.flatMap(openScopes),
];
