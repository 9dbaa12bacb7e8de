import { PulseError } from "../errors.ts";
import { invalid } from "../invalid.ts";
import { misuse, usage } from "../run/signals.ts";
import type { SourcePlan } from "./plan.ts";
import type { Source } from "./source.ts";

/** A chain that was given up, or has ended, uses a stream (CORE-15). */
export const closedError = (path: string): PulseError =>
  misuse(
    "CORE-15",
    path,
    "uses a stream after its body had ended or was given up; await all sends and receives before the body returns",
  );

/** What readers of a source that failed get (STR-8): the writer's failure is the cause. */
export function failedError(source: Source, cause: unknown): PulseError<"PULSE_STREAM_FAILED"> {
  const { path, key } = source.plan;
  return new PulseError("PULSE_STREAM_FAILED", `stream "${key.name}" failed: its writer "${path}" did`, {
    cause,
    details: { path, key: key.name },
  });
}

/** What readers of a source that was cancelled get (STR-8). */
export function canceledError(source: Source): PulseError<"PULSE_STREAM_CANCELED"> {
  const { path, key } = source.plan;
  return new PulseError(
    "PULSE_STREAM_CANCELED",
    `stream "${key.name}" was cancelled before its writer "${path}" ended`,
    {
      details: { path, key: key.name },
    },
  );
}

/** A message whose budget was used up before this process began; its failure's text is not known any more (CKPT-32). */
export const exhaustedMessageError = (
  path: string,
  key: string,
  sequence: number,
  limit: number,
): PulseError<"PULSE_EXECUTION_FAILED"> =>
  new PulseError(
    "PULSE_EXECUTION_FAILED",
    `node "${path}": message ${sequence} of stream "${key}" has used up its ${limit} ${limit === 1 ? "try" : "tries"}; the last one failed before this process began`,
    { details: { path, others: [], abandoned: [] } },
  );

/** Streams of the graph that are to begin without a reader (STR-11). */
export const unreadError = (graph: string, sources: readonly SourcePlan[]): PulseError<"PULSE_INVALID"> =>
  invalid(
    `the execution of graph "${graph}"`,
    sources.map(({ path, key, outputs }) => ({
      code: "PULSE_STREAM_UNREAD",
      path: `${graph}/${path}`,
      message: `nothing reads stream "${key.name}", an output of the graph; subscribe to "${outputs[0]}" before the start`,
      ends: [path, key.name],
    })),
  );

/** A body that returned without its sends: they would be lost. */
export const unsentError = (path: string, key: string, count: number): PulseError =>
  misuse(
    "STR-2",
    path,
    `ended while ${count} ${count === 1 ? "send" : "sends"} on stream "${key}" waited for room; await each send before the body returns`,
    key,
  );

/** A call about a stream that the contract does not allow. */
export const streamMisuse = (rule: string, path: string, key: string, what: string): PulseError =>
  usage(rule, path === "" ? `stream "${key}" ${what}` : `node "${path}" ${what}`, path, key);
