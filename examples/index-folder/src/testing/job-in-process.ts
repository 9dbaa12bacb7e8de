import { join } from "node:path";
import { readCommand } from "../command-line.ts";
import { explain } from "../run/explain.ts";
import { placeOf, runJob } from "../run/job.ts";
import type { JobOptions, JobResult } from "../run/job.ts";

export interface JobEnd {
  /** All that was shown while it ran. */
  readonly shown: string;
  readonly result?: JobResult;
  readonly error?: unknown;
  /** What the person at the terminal would read of the error. */
  readonly explained?: string;
}

export interface JobTrial {
  /** The folder that the command's relative paths start from. */
  readonly workingFolder: string;
  /** Interrupts the job when a shown line matches. */
  readonly interruptAt?: RegExp;
  /** Sees each shown line, before the job goes on. */
  readonly onShown?: (text: string) => void;
  readonly reader?: JobOptions["reader"];
}

/** Runs the job in this process as the program would, with these words on the command line. */
export async function runHere(
  words: readonly string[],
  { workingFolder, interruptAt, onShown, reader }: JobTrial,
): Promise<JobEnd> {
  const command = readCommand(words);
  if (command.kind === "help") throw new Error("a trial of the job does not ask for help");
  const interruption = new AbortController();
  let shown = "";
  const options: JobOptions = {
    command,
    folderDefault: join(workingFolder, "docs"),
    workingFolder,
    display: {
      write(text) {
        shown += text;
        onShown?.(text);
        if (interruptAt?.test(text) === true) interruption.abort(new Error("interrupted by the test"));
      },
      live: false,
    },
    signal: interruption.signal,
    ...(reader !== undefined && { reader }),
  };
  let runId = "";
  try {
    const place = await placeOf(options);
    runId = place.runId;
    const result = await runJob(options, place);
    return { shown, result };
  } catch (error) {
    return { shown, error, explained: explain(error, runId) };
  }
}
