import type { CheckResult } from "../check-store.ts";
import type { CheckOrder } from "./arguments.ts";

/** What the command found, as `--json` prints it. */
export interface Report {
  readonly store: string;
  readonly module: string;
  readonly seed: number;
  readonly kills: number;
  readonly passed: number;
  readonly failed: number;
  readonly leftOut: number;
  readonly checks: readonly (CheckResult & { /** The command that checks it again. */ readonly repeat?: string })[];
}

/** The whole report as data. */
export function reportOf(store: string, order: CheckOrder, results: readonly CheckResult[]): Report {
  const count = (state: CheckResult["state"]): number => results.filter((result) => result.state === state).length;
  return {
    store,
    module: order.module,
    seed: order.seed,
    kills: order.kills,
    passed: count("passed"),
    failed: count("failed"),
    leftOut: count("left out"),
    checks: results.map((result) =>
      result.state === "failed" ? { ...result, repeat: repeatOf(result, order) } : result,
    ),
  };
}

/** One result, as it is printed when it is there. */
export function resultText(result: CheckResult, order: CheckOrder): string {
  const { id, title, state, ms, told = "", noted } = result;
  const head = (state === "failed" ? "FAILED" : state).padEnd(9);
  const lines = [`${head} ${id}: ${title}${state === "left out" ? "" : ` (${ms} ms)`}`];
  if (state === "passed" && noted !== undefined) lines.push(`          ${noted}`);
  if (state === "left out") lines.push(`          because: ${told}`);
  if (state === "failed") {
    lines.push(...detailsOf(told).map((line) => `          ${line}`), `          repeat: ${repeatOf(result, order)}`);
  }
  return lines.join("\n");
}

/** The last lines: what failed and was left out once more, and the figures. */
export function summaryText({ passed, failed, leftOut, checks, seed }: Report): string {
  const again = checks
    .filter(({ state }) => state !== "passed")
    .map(({ id, state, told = "" }) => `  ${state}: ${id}${state === "left out" ? `, because ${told}` : ""}`);
  return ["", ...again, `${passed} passed, ${failed} failed, ${leftOut} left out; seed ${seed}`].join("\n");
}

/** Without the first line, which is id and title, and without how to repeat it with an environment. */
function detailsOf(told: string): readonly string[] {
  const lines = told.split("\n").map((line) => line.trim());
  return lines.filter((line, at) => (at > 0 || lines.length === 1) && !line.startsWith("repeat it with PULSE_SEED="));
}

const repeatOf = ({ id }: CheckResult, { module, seed, kills }: CheckOrder): string =>
  `pulse-store-check ${module} --only ${id} --seed ${seed} --kills ${kills}`;
