import { isPulseError } from "@pulse-ts/core";
import { resolve } from "node:path";
import { help, readCommand } from "./command-line.ts";
import { Problem } from "./problem.ts";
import { explain } from "./run/explain.ts";
import { placeOf, runJob } from "./run/job.ts";
import type { JobOptions } from "./run/job.ts";

/** What a shell expects of a program that ended by a signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** The repository's own documentation: two folders above this package, from `src` and from `dist` alike. */
const folderDefault = resolve(import.meta.dirname, "..", "..", "..", "docs");

async function main(words: readonly string[]): Promise<number> {
  let command;
  try {
    command = readCommand(words);
  } catch (error) {
    console.error(explain(error, ""));
    return error instanceof Problem ? error.exitCode : 1;
  }
  if (command.kind === "help") {
    process.stdout.write(help);
    return 0;
  }
  const interruption = new AbortController();
  let exitCode = 0;
  const interrupt = (signal: keyof typeof exitCodes): void => {
    // Asked twice: the person does not want to wait. A kill loses nothing that was confirmed.
    if (exitCode !== 0) process.exit(exitCodes[signal]);
    exitCode = exitCodes[signal];
    interruption.abort(new Error(`interrupted by ${signal}`));
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  const options: JobOptions = {
    command,
    folderDefault,
    workingFolder: process.cwd(),
    display: {
      write: (text) => void process.stderr.write(text),
      live: process.stderr.isTTY,
      ...(process.stderr.isTTY && { columns: process.stderr.columns }),
    },
    signal: interruption.signal,
  };
  let runId = "";
  try {
    const place = await placeOf(options);
    runId = place.runId;
    const result = await runJob(options, place);
    for (const hit of result.hits ?? []) console.log(`Found in     ${hit}`);
    if (result.hits?.length === 0) console.log("Found in     no file");
    console.log(`Files        ${result.files} indexed, ${result.skipped} skipped`);
    console.log(`HTML report  ${result.html}`);
    console.log(`JSON report  ${result.json}`);
    return 0;
  } catch (error) {
    if (isPulseError(error, "PULSE_INTERRUPTED") && exitCode !== 0) return exitCode;
    console.error(explain(error, runId));
    return error instanceof Problem ? error.exitCode : 1;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

/** Whoever read what is printed may have gone (`| head`): the work goes on without him. */
function withoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
process.stdout.on("error", withoutReader);
process.stderr.on("error", withoutReader);

process.exitCode = await main(process.argv.slice(2));
