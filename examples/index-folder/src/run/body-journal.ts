import { appendFileSync } from "node:fs";

/** One line of the journal: a body was started. */
export interface BodyRun {
  readonly path: string;
  readonly attempt: number;
  readonly pid: number;
}

/**
 * Notes that a body is about to run, in a file that is only ever appended to. Written before the body's first line and
 * in one call, so that a kill at any moment leaves every body that began in it.
 */
export function noteBodyRun(file: string, place: { readonly path: string; readonly attempt: number }): void {
  const line: BodyRun = { path: place.path, attempt: place.attempt, pid: process.pid };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
