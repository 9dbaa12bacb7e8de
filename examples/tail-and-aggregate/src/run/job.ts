import { attach, isPulseError } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Command } from "../command-line.ts";
import { outside, portionLinesMax } from "../graph/outside.ts";
import type { TailEvent } from "../graph/outside.ts";
import { tailGraph } from "../graph/tail-graph.ts";
import { openFile } from "../log/growing-file.ts";
import type { Problem } from "../problem.ts";
import { openStore } from "../store/open-store.ts";
import { placeFrom } from "../store/store-place.ts";
import type { Result } from "../values.ts";
import { outboxIn, writeWhole } from "./outbox.ts";

/** Rises when a body does something else: a run is never finished by another version than began it (DUR-5). */
export const jobVersion = "1";

export interface JobOptions {
  readonly command: Command;
  /** What the relative paths of the command start from. */
  readonly workingFolder: string;
  /** Interrupts the job. */
  readonly signal: AbortSignal;
  readonly see: (event: TailEvent) => void;
  /** At most so many lines a message; default {@link portionLinesMax}, and not above it. */
  readonly linesMax?: number;
}

export interface JobResult {
  readonly file: string;
  readonly result: Result;
}

/** The same file always has the same run, so the same command finds it again. */
export function runIdOf({ command: { runId, log }, workingFolder }: JobOptions): string {
  const path = resolve(workingFolder, log);
  const place = createHash("sha256").update(path).digest("hex").slice(0, 8);
  return runId ?? `tail-${basename(path).replace(/[^A-Za-z0-9]+/gu, "-")}-${place}`;
}

/**
 * Counts a log, or goes on with a run that was interrupted, and writes the result.
 * @throws Problem for what the person can mend; what durable and the store throw (DUR-12); PULSE_INTERRUPTED on the signal
 */
export async function runJob(options: JobOptions): Promise<JobResult> {
  const { command, workingFolder, see, linesMax = portionLinesMax } = options;
  const runId = runIdOf(options);
  const log = resolve(workingFolder, command.log);
  // Before anything is made: a file that is not there leaves nothing behind.
  await (await openFile(log)).close();
  const out = resolve(workingFolder, command.out ?? join(".pulse", "tail", encodeURIComponent(runId)));
  await mkdir(out, { recursive: true });
  const file = join(out, "result.json");
  const store = await openStore(placeFrom(workingFolder, command.store));
  await using pulse = durable({ store });
  if (command.fresh) await store.catalog.delete(runId);

  const mendable = new AbortController();
  let problem: Problem | undefined;
  const interrupt = (found: Problem): void => {
    problem ??= found;
    mendable.abort(found);
  };
  try {
    const { values } = await pulse.runOrResume(
      tailGraph,
      { log, prefix: command.prefix },
      {
        runId,
        version: jobVersion,
        signal: AbortSignal.any([options.signal, mendable.signal]),
        // The failure's text is of a file that lies here anyway; a second start can tell it again.
        keepFailure: true,
        attachments: [
          attach(outside, {
            follow: command.follow,
            linesMax,
            see,
            interrupt,
            // The box has a name of its own for each run: one that was forgotten leaves nothing in the next one's.
            box: (name) => outboxIn(join(out, "minutes", name)),
            writeResult: (text) => writeWhole(file, text),
          }),
        ],
      },
    );
    return { file, result: values.summary };
  } catch (error) {
    throw problem !== undefined && isPulseError(error, "PULSE_INTERRUPTED") ? problem : error;
  }
}
