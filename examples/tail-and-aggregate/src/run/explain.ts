import { isPulseError } from "@pulse-ts/core";
import { Problem } from "../problem.ts";

/** What is said to the person at the terminal about an error that ended the job. No stack trace: it would help nobody. */
export function explain(error: unknown, runId: string): string {
  if (error instanceof Problem) return error.message;
  if (isPulseError(error, "PULSE_BUSY"))
    return `Run ${runId} is being worked on by another process. Wait until it is done, or give another --run-id.`;
  if (isPulseError(error, "PULSE_INCOMPATIBLE"))
    return `Run ${runId} was begun with another --prefix, another place of the file, or by another version of this program.\nNothing was done and nothing lost. --fresh forgets it and starts again; or give the command it was begun with.`;
  if (isPulseError(error, "PULSE_RUN_FAILED")) return `${messageOf(error)}\n--fresh starts again.`;
  if (isPulseError(error, "PULSE_CHECKPOINT"))
    return `Run ${runId} was stopped: ${messageOf(error.cause ?? error)}\nWhat was confirmed is safe. Mend the cause, and give the same command again.`;
  return messageOf(error);
}

/** The message of anything that can be thrown, with the messages of its causes where they say more. */
function messageOf(error: unknown): string {
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
