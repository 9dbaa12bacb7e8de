import { planChecks } from "./plan-checks.ts";
import { runCheck } from "./run-check.ts";
import type { RunOptions } from "./run-check.ts";
import type { StoreSubject } from "./subject.ts";

/** What came of one requirement. */
export interface CheckResult {
  readonly id: string;
  readonly rule: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "left out";
  /** Milliseconds; 0 for what was left out. */
  readonly ms: number;
  /** What was seen and what was wanted, of one that failed; why, of one that was left out. */
  readonly told?: string;
  /** What the check told last of its progress: figures of kills and takeovers. */
  readonly noted?: string;
}

export interface CheckStoreOptions extends RunOptions {
  /** Requirement ids or rule ids: these alone. Absent: all. */
  readonly only?: readonly string[] | undefined;
  /** Called before each check and with each result. */
  readonly onStart?: (id: string) => void;
  readonly onResult?: (result: CheckResult) => void;
}

/**
 * Checks all that the kit requires, one after the other, without a test runner. A rejection that nobody handles counts as
 * a failure of the check in which it came up: in a host it would end the process.
 * @throws an Error for a wrong name in `only` or in the subject's `without`
 */
export async function checkStore(subject: StoreSubject, options: CheckStoreOptions): Promise<readonly CheckResult[]> {
  const plan = planChecks(subject, { hasModule: options.module !== undefined, only: options.only });
  const results: CheckResult[] = [];
  for (const { requirement, leftOut } of plan) {
    const { id, rule, title } = requirement;
    options.onStart?.(id);
    const begin = performance.now();
    let noted: string | undefined;
    const say = (text: string): void => {
      noted = text;
      options.say?.(text);
    };
    const told = leftOut ?? (await withStrays(() => runCheck(requirement, subject, { ...options, say })));
    const state = leftOut !== undefined ? "left out" : told === undefined ? "passed" : "failed";
    const ms = leftOut === undefined ? Math.round(performance.now() - begin) : 0;
    const texts = { ...(told === undefined ? {} : { told }), ...(noted === undefined ? {} : { noted }) };
    const result: CheckResult = { id, rule, title, state, ms, ...texts };
    results.push(result);
    options.onResult?.(result);
  }
  return results;
}

/** What went wrong, `undefined` when nothing did. */
async function withStrays(check: () => Promise<void>): Promise<string | undefined> {
  const strays: unknown[] = [];
  const onStray = (error: unknown): void => void strays.push(error);
  process.on("unhandledRejection", onStray);
  try {
    await check();
    // A rejection counts as unhandled when the turn in which it came up has ended.
    await new Promise((resolve) => setImmediate(resolve));
    return strays.length === 0
      ? undefined
      : `seen: a rejection that nobody handles: ${String(strays[0])}; wanted: none`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    process.off("unhandledRejection", onStray);
  }
}
