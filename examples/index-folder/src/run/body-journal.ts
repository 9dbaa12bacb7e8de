import { appendFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { Problem, systemCode } from "../problem.ts";

/** One line of the journal: a body was started. */
export interface BodyRun {
  readonly path: string;
  readonly attempt: number;
  readonly pid: number;
}

/**
 * Makes sure that the journal can be written before anything depends on it: a body that could not be noted would fail,
 * and use up its run's only try. Gives the path.
 * @throws Problem when it cannot be written
 */
export async function startJournal(file: string): Promise<string> {
  try {
    await appendFile(file, "");
    return file;
  } catch (error) {
    throw new Problem(`the trace ${file} cannot be written (${systemCode(error) ?? String(error)})`, { cause: error });
  }
}

/**
 * Notes that a body is about to run, in a file that is only ever appended to. Written before the body's first line and
 * in one call, so that a kill at any moment leaves every body that began in it.
 */
export function noteBodyRun(file: string, place: { readonly path: string; readonly attempt: number }): void {
  const line: BodyRun = { path: place.path, attempt: place.attempt, pid: process.pid };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
