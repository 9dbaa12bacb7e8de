import type { Aspect } from "../aspects/aspect.ts";
import type { AttachmentToken } from "../context.ts";
import type { Problem } from "../errors.ts";
import type { CompiledGraph } from "../compile.ts";
import { countProblem, timeProblem, unknownProblems } from "../option-check.ts";
import type { CheckpointDriver } from "./checkpoint-driver.ts";
import type { Observer } from "./events.ts";
import type { Host } from "./host.ts";
import { overrideProblems } from "./overrides.ts";
import type { OverrideSpec } from "./overrides.ts";

/** How long the end waits for bodies that ignore their signal, in milliseconds (CORE-30). */
export const drainTimeoutDefault = 10_000;

/** An attachment under its token; made by `attach` (CORE-51). */
export interface Attachment {
  readonly token: AttachmentToken<unknown>;
  readonly value: unknown;
}

/** Names an attachment by type. Tokens are told apart by identity, not by name. */
export function attachment<Value>(name: string): AttachmentToken<Value> {
  return Object.freeze({ kind: "attachment", name });
}

/** Puts a value under a token, for the execution option `attachments`. */
export function attach<Value>(token: AttachmentToken<Value>, value: Value): Attachment {
  return Object.freeze({ token, value });
}

/** What makes an execution reliable. Made by `checkpoint(…)` of `@pulse-ts/core/checkpoint` (CKPT-31). */
export interface Checkpoint {
  readonly runId: string | undefined;
  /** A driver for one execution. */
  readonly driver: () => CheckpointDriver;
  /** What is wrong with the options (CKPT-8). */
  readonly problems: () => readonly string[];
}

/** Options of an execution (CORE-29). */
export interface ExecutionOptions {
  /** The host's: aborting it interrupts the execution (CORE-46). At most one listener is on it, none afterwards. */
  readonly signal?: AbortSignal;
  /** When the host interrupts the execution: a date, or milliseconds since the epoch. */
  readonly deadline?: Date | number;
  /** Milliseconds from the start until the host interrupts the execution. */
  readonly timeout?: number;
  /** How many bodies run at once, children's included; a positive integer. Default: no cap (CORE-18). */
  readonly concurrency?: number;
  /** Outermost in every chain, children's included; `false` switches all aspects off (CORE-13, CORE-14). */
  readonly aspects?: readonly Aspect[] | false;
  readonly observers?: readonly Observer[];
  /** For events; default: the graph's name. */
  readonly name?: string;
  /** Milliseconds that the end waits for bodies that ignore their signal; default {@link drainTimeoutDefault} (CORE-30). */
  readonly drainTimeout?: number;
  /** Replaces bodies and keys for this execution: for tests of users (CORE-40, CORE-50). */
  readonly overrides?: OverrideSpec;
  /** Clock, timers, randomness and ready order; default: the real ones. */
  readonly host?: Host;
  readonly attachments?: readonly Attachment[];
  readonly checkpoint?: Checkpoint;
}

/** For who has no types. */
const optionNames: readonly (keyof ExecutionOptions)[] = [
  "signal",
  "deadline",
  "timeout",
  "concurrency",
  "aspects",
  "observers",
  "name",
  "drainTimeout",
  "overrides",
  "host",
  "attachments",
  "checkpoint",
];

/** Checks options. What is wrong is added to `problems`. */
export function checkOptions(options: ExecutionOptions, compiled: CompiledGraph, problems: Problem[]): void {
  const path = compiled.graph.name;
  const bad = (message: string | undefined): void => {
    if (message !== undefined) problems.push({ code: "PULSE_OPTION_INVALID", path, message });
  };
  for (const message of unknownProblems(options, optionNames)) bad(message);
  const { concurrency, drainTimeout, timeout, deadline, aspects = [] } = options;
  if (concurrency !== undefined) bad(countProblem("option concurrency", concurrency));
  if (drainTimeout !== undefined) bad(timeProblem("option drainTimeout", drainTimeout));
  if (timeout !== undefined) bad(timeProblem("option timeout", timeout));
  if (deadline !== undefined && Number.isNaN(Number(deadline)))
    bad("option deadline is no time; give a valid Date or milliseconds since the epoch");
  if (aspects !== false && !(Array.isArray(aspects) && aspects.every((aspect) => aspect?.kind === "aspect")))
    bad("option aspects is neither false nor a list of aspects; make each with aspect, retry, timeout or limiter");
  const { signal, observers, host } = options;
  if (signal !== undefined && !hasFunctions(signal, "addEventListener", "removeEventListener", "throwIfAborted"))
    bad("option signal is no AbortSignal; give the signal of an AbortController");
  if (
    observers !== undefined &&
    !(Array.isArray(observers) && observers.every((observer) => typeof observer === "function"))
  )
    bad("option observers is no list of functions; give each observer as a function of the event");
  if (host !== undefined && !hasFunctions(host, "now", "setTimer", "clearTimer", "random", "randomId"))
    bad("option host is no host; give one with all its functions, or leave it out");
  for (const message of options.checkpoint?.problems() ?? []) bad(message);
  if (options.overrides !== undefined) problems.push(...overrideProblems(options.overrides, compiled));
}

/** For who has no types. */
const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function");
