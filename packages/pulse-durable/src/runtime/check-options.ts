import { PulseError } from "@pulse-ts/core";
import type { Problem } from "@pulse-ts/core";
import type { NextStep } from "../errors.ts";
import type { DurableOptions, RunOptions } from "../options.ts";
import { isWellFormed } from "../record/plain.ts";
import { checkRunId, runIdIn, shownRunId } from "../run-id.ts";
import type { RunCall } from "./run-error.ts";

/**
 * Checks what is durable's own among the options of a run, for who has no types; the rest is the execution's (CORE-29).
 * @throws PULSE_INVALID with every problem
 */
export function checkRunOptions(options: unknown, next: NextStep): asserts options is RunOptions {
  const problems: Problem[] = [];
  const { runId, version, beforeStart, verify, isolate, keepFailure, checkpoint } = fieldsOf(options, "runId", {
    runId: runIdIn(undefined),
    next,
  });
  checkRunId(runId);
  if (typeof version !== "string" || version === "" || !isWellFormed(version)) {
    const found = typeof version === "string" ? JSON.stringify(version) : shownType(version);
    bad(problems, "version", `is ${found}; give a string that is not empty and has no unpaired surrogate`);
  }
  if (beforeStart !== undefined && typeof beforeStart !== "function") {
    bad(problems, "beforeStart", `is ${shownType(beforeStart)}; give a function that takes the execution`);
  }
  if (verify !== undefined && verify !== "all") bad(problems, "verify", `is neither "all" nor left out`);
  for (const [name, value] of Object.entries({ isolate, keepFailure })) {
    if (value !== undefined && typeof value !== "boolean")
      bad(problems, name, `is ${shownType(value)}; give true or false`);
  }
  if (checkpoint !== undefined) bad(problems, "checkpoint", "is durable's to give; leave it out");
  if (problems.length > 0) throw invalid(`run "${shownRunId(runId)}"`, problems, { runId, next });
}

/** Checks what durable execution is made of. @throws PULSE_INVALID with every problem */
export function checkDurableOptions(options: unknown): asserts options is DurableOptions {
  const problems: Problem[] = [];
  const { store, codecs, host } = fieldsOf(options, "store");
  if (!hasMethods(store, "acquire"))
    bad(problems, "store", `is ${shownType(store)}, and no store; give memoryStore(), a file store or another one`);
  if (codecs !== undefined && !hasMethods(codecs, "forType"))
    bad(problems, "codecs", `is ${shownType(codecs)}, and no registry; give what createCodecs() made, or leave it out`);
  if (host !== undefined && !hasMethods(host, "now", "setTimer", "clearTimer", "random", "randomId"))
    bad(problems, "host", `is ${shownType(host)}, and no host; give one with all its functions, or leave it out`);
  if (problems.length > 0) throw invalid("durable execution", problems);
}

function fieldsOf(options: unknown, first: string, call?: RunCall): Readonly<Record<string, unknown>> {
  if (typeof options === "object" && options !== null) return options as Readonly<Record<string, unknown>>;
  const problems: Problem[] = [];
  bad(problems, "options", `are ${shownType(options)}; give an object with ${first}`);
  throw invalid(call === undefined ? "durable execution" : "the run", problems, call);
}

function bad(problems: Problem[], path: string, found: string): void {
  problems.push({
    code: "PULSE_OPTION_INVALID",
    path,
    message: path === "options" ? `the options ${found}` : `option ${path} ${found}`,
  });
}

function invalid(what: string, problems: readonly Problem[], call?: RunCall): PulseError {
  const message = `${what} cannot begin: ${problems.map((problem) => problem.message).join("; ")}`;
  return new PulseError("PULSE_INVALID", message, { details: { problems, ...call } });
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function");
}

/** What a value is, in words: it may be one that no text can be made of. */
const shownType = (value: unknown): string =>
  value === undefined || value === null ? String(value) : `a ${typeof value}`;
