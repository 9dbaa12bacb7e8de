import { isPulseError } from "@pulse-ts/core";
import { help, readCommand } from "./command-line.ts";
import { Problem } from "./problem.ts";
import { explain } from "./run/explain.ts";
import { runIdOf, runJob } from "./run/job.ts";
import { progressOn } from "./run/progress.ts";

/** What a shell expects of a program that ended by a signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

async function main(words: readonly string[]): Promise<number> {
  let runId = "";
  let interrupted = 0;
  const progress = progressOn({ write: (text) => void process.stderr.write(text), live: process.stderr.isTTY });
  try {
    const command = readCommand(words);
    if (command.kind === "help") {
      process.stdout.write(help);
      return 0;
    }
    const interruption = new AbortController();
    const interrupt = (signal: keyof typeof exitCodes): void => {
      // Asked twice: the person does not want to wait. A kill loses nothing that was confirmed.
      if (interrupted !== 0) process.exit(exitCodes[signal]);
      interrupted = exitCodes[signal];
      interruption.abort(new Error(`interrupted by ${signal}`));
    };
    process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
    const options = { command, workingFolder: process.cwd(), signal: interruption.signal, see: progress.see };
    runId = runIdOf(options);
    process.stderr.write(`Counting ${command.log}, run ${runId}.\n`);
    const { file, result } = await runJob(options);
    progress.clear();
    console.log(`Lines    ${result.lines}, ${result.unread} of them none of an access log`);
    console.log(`Minutes  ${result.minutes.length}`);
    console.log(`Result   ${file}`);
    return 0;
  } catch (error) {
    progress.clear();
    if (isPulseError(error, "PULSE_INTERRUPTED") && interrupted !== 0) {
      console.error("Interrupted. The same command goes on from what was confirmed.");
      return interrupted;
    }
    console.error(explain(error, runId));
    return error instanceof Problem ? error.exitCode : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
