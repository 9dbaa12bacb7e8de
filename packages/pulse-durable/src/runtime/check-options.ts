import { PulseError } from "@pulse-ts/core";
import type { Problem } from "@pulse-ts/core";
import type { NextStep } from "../errors.ts";
import type { DurableOptions, RunOptions } from "../options.ts";
import { isWellFormed } from "../record/plain.ts";
import { checkRunId, runIdIn, shownRunId } from "../run-id.ts";
import { nearName } from "./near-name.ts";
import type { RunCall } from "./run-error.ts";

/**
 * Checks what is durable's own among the options of a run, for who has no types; the rest is the execution's (CORE-29).
 * @throws PULSE_INVALID with every problem
 */
export function checkRunOptions(options: unknown, next: NextStep): asserts options is RunOptions {
  const problems: Problem[] = [];
  const fields = fieldsOf(options, "runId", { runId: runIdIn(undefined), next });
  const { runId, version, beforeStart, verify, isolate, keepFailure, maxResumes, checkpoint } = fields;
  checkRunId(runId);
  if (typeof version !== "string" || version === "") {
    const found = version === "" ? "empty" : shownType(version);
    bad(problems, "version", `is ${found}; give a string that names the version of your code, such as "1"`);
  } else if (!isWellFormed(version)) {
    bad(problems, "version", `is ${JSON.stringify(version)}, which has an unpaired surrogate; give one that has none`);
  }
  if (beforeStart !== undefined && typeof beforeStart !== "function") {
    bad(problems, "beforeStart", `is ${shownType(beforeStart)}; give a function that takes the execution`);
  }
  if (verify !== undefined && verify !== "all") bad(problems, "verify", `is neither "all" nor left out`);
  for (const [name, value] of Object.entries({ isolate, keepFailure })) {
    if (value !== undefined && typeof value !== "boolean")
      bad(problems, name, `is ${shownType(value)}; give true or false`);
  }
  if (maxResumes !== undefined && !(Number.isSafeInteger(maxResumes) && (maxResumes as number) >= 0)) {
    const found = typeof maxResumes === "number" ? String(maxResumes) : shownType(maxResumes);
    bad(problems, "maxResumes", `is ${found}; give an integer from 0, or leave it out`);
  }
  if (checkpoint !== undefined) bad(problems, "checkpoint", "is durable's to give; leave it out");
  refuseUnknown(problems, fields, runOptionNames);
  if (problems.length > 0) throw invalid(`run "${shownRunId(runId)}"`, problems, { runId, next });
}

/** What is there is checked by the execution (CORE-28); that nothing is there is told here. @throws PULSE_INVALID */
export function checkInputsGiven(inputs: unknown): void {
  if (inputs !== undefined) return;
  const message = "the inputs are undefined; give an object by input name, or {} where there are none";
  const problems: Problem[] = [{ code: "PULSE_INPUT_INVALID", path: "inputs", message }];
  throw new PulseError("PULSE_INVALID", message, { details: { problems } });
}

/** Refuses what is not what a call takes, for who has no types. @throws PULSE_INVALID */
export function refuseArgument(what: string, given: unknown, give: string, call?: RunCall): never {
  const forgotten = given instanceof Promise ? "; was `await` forgotten?" : "";
  const found = given instanceof Promise ? "a promise" : shownArgument(given);
  const path = what.slice(what.lastIndexOf(" ") + 1);
  const message = `${what} is ${found}; give ${give}${forgotten}`;
  const problems: Problem[] = [{ code: "PULSE_OPTION_INVALID", path, message }];
  throw new PulseError("PULSE_INVALID", message, { details: { problems, ...call } });
}

/** Checks what durable execution is made of. @throws PULSE_INVALID with every problem */
export function checkDurableOptions(options: unknown): asserts options is DurableOptions {
  const problems: Problem[] = [];
  const fields = fieldsOf(options, "store");
  const { store, codecs, host } = fields;
  if (!hasMethods(store, "acquire"))
    bad(problems, "store", `is ${shownType(store)}, and no store; give memoryStore(), a file store or another one`);
  if (codecs !== undefined && !hasMethods(codecs, "forType"))
    bad(problems, "codecs", `is ${shownType(codecs)}, and no registry; give what createCodecs() made, or leave it out`);
  if (host !== undefined && !hasMethods(host, "now", "setTimer", "clearTimer", "random", "randomId"))
    bad(problems, "host", `is ${shownType(host)}, and no host; give one with all its functions, or leave it out`);
  refuseUnknown(problems, fields, durableOptionNames);
  if (problems.length > 0) throw invalid("durable execution", problems);
}

// Records, so that an option that is added cannot be forgotten here.
const runOptionNames: Readonly<Record<keyof RunOptions | "checkpoint", true>> = {
  runId: true,
  version: true,
  observers: true,
  beforeStart: true,
  verify: true,
  isolate: true,
  maxResumes: true,
  keepFailure: true,
  signal: true,
  deadline: true,
  timeout: true,
  concurrency: true,
  aspects: true,
  name: true,
  drainTimeout: true,
  overrides: true,
  host: true,
  attachments: true,
  checkpoint: true,
};
const durableOptionNames: Readonly<Record<keyof DurableOptions, true>> = { store: true, codecs: true, host: true };

/** An option that nobody knows would have no effect, silently. */
function refuseUnknown(
  problems: Problem[],
  fields: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, true>>,
): void {
  const names = Object.keys(known);
  for (const name of Object.keys(fields)) {
    if (names.includes(name)) continue;
    const suggestion = nearName(name, names);
    const meant = suggestion === undefined ? `give one of ${names.join(", ")}` : `did you mean ${suggestion}?`;
    bad(problems, name, `is unknown; ${meant}`, suggestion);
  }
}

function fieldsOf(options: unknown, first: string, call?: RunCall): Readonly<Record<string, unknown>> {
  if (typeof options === "object" && options !== null) return options as Readonly<Record<string, unknown>>;
  const problems: Problem[] = [];
  bad(problems, "options", `are ${shownType(options)}; give an object with ${first}`);
  throw invalid(call === undefined ? "durable execution" : "the run", problems, call);
}

function bad(problems: Problem[], path: string, found: string, suggestion?: string): void {
  problems.push({
    code: "PULSE_OPTION_INVALID",
    path,
    message: path === "options" ? `the options ${found}` : `option ${path} ${found}`,
    ...(suggestion === undefined ? {} : { suggestion }),
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

const shownArgument = (value: unknown): string =>
  typeof value === "object" && value !== null ? "an object of another kind" : shownType(value);

/** What a value is, in words: it may be one that no text can be made of. */
const shownType = (value: unknown): string =>
  value === undefined || value === null ? String(value) : `a ${typeof value}`;
