/** Each change of the file, by name: where tests stop, fail or kill (KIT-2, KIT-6). */
export const steps = [
  "file-open",
  "wal-mode",
  "migrate-begin",
  "migrate-schema",
  "migrate-version",
  "migrate-commit",
  "begin",
  "owner-take",
  "owner-ask",
  "owner-answer",
  "owner-release",
  "run-insert",
  "run-update",
  "entry-put",
  "entry-delete",
  "content-put",
  "content-use",
  "naming-put",
  "run-delete",
  "collect-mark",
  "collect-remove",
  "commit",
  "checkpoint",
  "backup-copy",
  "backup-check",
  "backup-publish",
] as const;

export type Step = (typeof steps)[number];

/** Every step at each of its moments, by name: `entry-put before`, `commit after`. */
export const sqliteFaultPoints: readonly string[] = steps.flatMap((step) => [`${step} before`, `${step} after`]);

/** Called at each moment of each step. What it throws, the step's caller gets as if the database had failed. */
export type AtPoint = (point: string) => void;

/** Does one change of the file, with its moments around it if anybody wants to know. */
export function atStep<Result>(at: AtPoint | undefined, step: Step, action: () => Result): Result {
  if (at === undefined) return action();
  at(`${step} before`);
  const result = action();
  at(`${step} after`);
  return result;
}

/** The same for a change that is waited for. */
export async function atAsyncStep<Result>(
  at: AtPoint | undefined,
  step: Step,
  action: () => Promise<Result>,
): Promise<Result> {
  at?.(`${step} before`);
  const result = await action();
  at?.(`${step} after`);
  return result;
}
