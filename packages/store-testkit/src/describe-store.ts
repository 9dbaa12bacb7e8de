import { fileURLToPath } from "node:url";
import { chosenKills, chosenSeed } from "./chosen.ts";
import { planChecks } from "./plan-checks.ts";
import { checkMsDefault } from "./requirement.ts";
import { runCheck } from "./run-check.ts";
import type { StoreSubject } from "./subject.ts";

/** What the kit needs of a test runner. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(title: string, body: () => void): void;
  /** Registers a test that fails when `body` rejects. `body` settles within `timeoutMs`. */
  test(title: string, timeoutMs: number, body: () => Promise<void>): void;
  /** Registers a test that is reported as not run, with the reason in its title. */
  skip(title: string, reason: string): void;
}

export interface DescribeOptions {
  /**
   * The path or file URL of the store module, for the checks that open it in other processes. Without it they are left
   * out, and the report says so.
   */
  readonly module?: string | URL;
  /** Requirement ids or rule ids: these alone. Default: all. */
  readonly only?: readonly string[];
  /** The seed of chance; default `PULSE_SEED`, else a new one for each run of the tests. A failure tells it. */
  readonly seed?: number;
  /** At how many random moments the crash check kills; default `PULSE_KILLS`, else {@link killsDefault}. */
  readonly kills?: number;
}

/**
 * Registers one test for each requirement of the kit (KIT-1). What the subject declares in `without`, and what cannot run
 * without the path of its module, is registered as left out, with the reason.
 *
 * ```ts no-run
 * import { describeStore } from "@pulse-ts/store-testkit";
 * import { vitestRunner } from "@pulse-ts/store-testkit/vitest";
 * import { subject } from "./my-store.ts";
 *
 * describeStore(subject, vitestRunner, { module: new URL("./my-store.ts", import.meta.url) });
 * ```
 */
export function describeStore(subject: StoreSubject, runner: TestRunner, options: DescribeOptions = {}): void {
  const module = modulePath(options.module);
  const run = { module, seed: chosenSeed(options.seed), kills: chosenKills(options.kills) };
  const plan = planChecks(subject, { hasModule: module !== undefined, only: options.only });
  runner.describe(`the store "${subject.name}"`, () => {
    for (const { requirement, leftOut } of plan) {
      const title = `${requirement.id} ${requirement.title}`;
      if (leftOut !== undefined) runner.skip(title, leftOut);
      else {
        const { checkMs = checkMsDefault } = requirement;
        runner.test(title, checkMs + marginMs, () => runCheck(requirement, subject, run));
      }
    }
  });
}

/** Beyond the check's own limit, so that the check itself says what it was waiting for. */
const marginMs = 5000;

function modulePath(module: string | URL | undefined): string | undefined {
  if (module === undefined) return undefined;
  const isUrl = module instanceof URL || module.startsWith("file:");
  return isUrl ? fileURLToPath(module) : module;
}
