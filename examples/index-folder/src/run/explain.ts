import { isPulseError } from "@pulse-ts/core";
import type { PulseErrorDetails } from "@pulse-ts/core";
import { Problem } from "../problem.ts";

/** What is said to the person at the terminal about an error that ended the job. No stack trace: it would help nobody. */
export function explain(error: unknown, runId: string): string {
  if (error instanceof Problem) return error.message;
  if (isPulseError(error, "PULSE_BUSY")) {
    const holder = error.details.holder === undefined ? "" : ` (${error.details.holder})`;
    return `Run ${runId} is being worked on by another process${holder}. Wait until it is done, or give another --run-id.`;
  }
  if (isPulseError(error, "PULSE_INCOMPATIBLE")) return explainDifference(error.details, runId);
  if (isPulseError(error, "PULSE_RUN_FAILED")) {
    const { path } = error.details;
    const why = error.cause === undefined ? "" : `: ${messageOf(error.cause)}`;
    // Where several steps had failed, only the message names them.
    const told = path === undefined ? `: ${messageOf(error)}` : ` at ${path}${why}`;
    return `Run ${runId} has failed for good${told}.\nIts tries are used up, and a resume gives no new ones. --fresh starts again.`;
  }
  if (isPulseError(error, "PULSE_CHECKPOINT")) {
    return `Run ${runId} was stopped: ${messageOf(error.cause ?? error)}\nWhat was confirmed is safe. Mend the cause, and give the same command again.`;
  }
  if (isPulseError(error, "PULSE_CORRUPT") || isPulseError(error, "PULSE_NEWER_FORMAT")) {
    return `${error.message}\nNothing was changed. --fresh forgets this record and starts again.`;
  }
  return messageOf(error);
}

function explainDifference(details: PulseErrorDetails["PULSE_INCOMPATIBLE"], runId: string): string {
  const ways: Readonly<Record<string, string>> = {
    inputs: `The folder has changed since run ${runId} was interrupted: what the run has confirmed does not fit it any more.`,
    definition: `Run ${runId} was begun with another number of chunks, or by another version of this program.`,
    version: `Run ${runId} was begun by another version of this program.`,
  };
  const way = ways[details.what] ?? `Run ${runId} does not fit this command (${details.what}).`;
  return `${way}\nNothing was done and nothing lost. --fresh forgets it and starts again; or give the command it was begun with.`;
}

/** The message of anything that can be thrown, with the messages of its causes where they say more. */
export function messageOf(error: unknown): string {
  const messages: string[] = [];
  let left: unknown = error;
  // A chain of causes may go round; nobody reads more than a few.
  for (let depth = 0; depth < 4 && left instanceof Error; depth += 1) {
    const { message } = left;
    if (!messages.some((said) => said.includes(message))) messages.push(message);
    left = left.cause;
  }
  return messages.length === 0 ? String(error) : messages.join("\n  because: ");
}
