import { attach, isPulseError, PulseError } from "@pulse-ts/core";
import type { PulseEvent } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { Durable, RunEvent, RunInspection } from "@pulse-ts/durable";
import { basename, join, resolve } from "node:path";
import type { Command } from "../command-line.ts";
import { indexGraph } from "../graph/index-graph.ts";
import { Problem } from "../problem.ts";
import { diskReader } from "../scan/read-text.ts";
import type { FileReader } from "../scan/read-text.ts";
import { folderAt, walk } from "../scan/walk.ts";
import { openStore, readyPlace } from "../store/open-store.ts";
import type { ReadyPlace } from "../store/open-store.ts";
import { placeFrom } from "../store/store-place.ts";
import { search } from "../terms/search.ts";
import type { InvertedIndex, Listing } from "../values.ts";
import { noteBodyRun, startJournal } from "./body-journal.ts";
import { confirmedSteps } from "./confirmed.ts";
import { equipment } from "./equipment.ts";
import { ownFolder, truePath, writeWhole } from "./own-folder.ts";
import { Progress } from "./progress.ts";
import type { Display } from "./progress.ts";
import { reportFolderFor, runNameFor } from "./run-name.ts";
import { stepsOf } from "./steps.ts";

/** Rises when a body does something else: a run is never finished by another version than began it (DUR-5). */
export const jobVersion = "2";

export interface JobOptions {
  readonly command: Command;
  /** Indexed when the command names no folder. */
  readonly folderDefault: string;
  /** What the relative paths of the command start from. */
  readonly workingFolder: string;
  readonly display: Display;
  /** Interrupts the job. */
  readonly signal: AbortSignal;
  /** How files are read; default: from the disk. */
  readonly reader?: FileReader;
}

export interface JobResult {
  readonly runId: string;
  readonly html: string;
  readonly json: string;
  /** How many files are in the index. */
  readonly files: number;
  /** How many were left out. */
  readonly skipped: number;
  /** Paths of files that have all searched words, best first; absent when nothing was searched for. */
  readonly hits?: readonly string[];
}

/** Says which run a job belongs to, before anything else may go wrong in it. */
export interface Place {
  readonly folder: string;
  readonly runId: string;
}

/** @throws Problem when there is no such folder */
export async function placeOf({ command, folderDefault, workingFolder }: JobOptions): Promise<Place> {
  const asked = command.folder === undefined ? folderDefault : resolve(workingFolder, command.folder);
  const folder = await folderAt(asked);
  return { folder, runId: command.runId ?? runNameFor(folder) };
}

/**
 * Indexes a folder, or goes on with a run that was interrupted, and writes the reports.
 * @throws Problem for what the person can mend; what durable and the store throw (DUR-12); PULSE_INTERRUPTED on the signal
 */
export async function runJob(options: JobOptions, { folder, runId }: Place): Promise<JobResult> {
  const { command, workingFolder } = options;
  const at = (path: string): string => resolve(workingFolder, path);
  const outAt = at(command.out ?? join(".pulse", "reports", reportFolderFor(runId)));
  const storeAt = placeFrom(workingFolder, command.store ?? { kind: "file", path: join(".pulse", "runs") });
  const ownPaths = storeAt.kind === "postgres" ? [outAt] : [outAt, storeAt.path];
  // Before anything is made: a folder that is refused leaves nothing behind.
  const listing = await walk(folder, { leaveOut: await Promise.all(ownPaths.map(truePath)) });
  const place = await readyPlace(storeAt);
  const out = await ownFolder(outAt, "the report").catch(async (error: unknown) => {
    await place.removeIfEmpty();
    throw error;
  });
  try {
    const traceFile = command.traceFile === undefined ? undefined : await startJournal(at(command.traceFile));
    return await indexInto({ ...options, folder, runId, listing, place, out: out.path, traceFile });
  } finally {
    await out.removeIfEmpty();
    await place.removeIfEmpty();
  }
}

interface IndexOptions extends JobOptions, Place {
  readonly listing: Listing;
  readonly place: ReadyPlace;
  readonly out: string;
  readonly traceFile: string | undefined;
}

async function indexInto(options: IndexOptions): Promise<JobResult> {
  const { command, workingFolder, display, folder, runId, listing, place, out, traceFile } = options;
  const job = indexGraph(command.chunks);
  const steps = stepsOf(job);
  const progress = new Progress(steps, display);
  const store = await openStore(place.place, (text) => progress.say(text));
  await using pulse = durable({ store });

  // Without looking at it first: a record that cannot be read is forgotten too. One that is not there is no matter.
  if (command.fresh) await store.catalog.delete(runId);
  const earlier = await earlierRun(pulse, runId);
  const before = earlier?.status;
  progress.say(heading(folder, listing, runId, place.shownFrom(workingFolder)));

  // Told when the resume was accepted and nothing of it has run yet: before that, the run may still be refused.
  const goesOn = (event: PulseEvent | RunEvent): void => {
    if (event.kind !== "run-resumed" || earlier?.status !== "running") return;
    progress.say("It was interrupted; going on from what it has confirmed.");
    // Had another process gone on in between, the list would be an old one.
    if (event.revision === earlier.revision) progress.sayNotDoneAgain(confirmedSteps(earlier, steps));
  };

  const title = basename(folder) === "" ? folder : basename(folder);
  const run = () =>
    pulse.runOrResume(
      job,
      { folder, title, listing },
      {
        runId,
        version: jobVersion,
        signal: options.signal,
        observers: [goesOn, progress.see],
        // The failure's text is of files that lie here anyway; a second start can tell it again.
        keepFailure: true,
        attachments: [
          attach(equipment, {
            reader: options.reader ?? diskReader,
            ...(command.faults !== undefined && { faults: command.faults }),
            ...(traceFile !== undefined && { noteBody: (place) => noteBodyRun(traceFile, place) }),
            ...(command.slowMs !== undefined && { slowMs: command.slowMs }),
          }),
        ],
      },
    );
  let outcome;
  let nothingRedone = before === "completed";
  try {
    outcome = await run();
  } catch (error) {
    progress.clear();
    if (isPulseError(error, "PULSE_INTERRUPTED")) {
      progress.say(
        `Interrupted: ${progress.confirmed} of ${progress.total} steps are confirmed. The same command goes on from there.`,
      );
    }
    // A run that has ended holds nobody's unfinished work: when the folder has changed since, its place is free.
    const ended = before === "completed" || before === "failed";
    if (!(ended && isPulseError(error, "PULSE_INCOMPATIBLE"))) throw withKeptCause(error, earlier?.failure);
    progress.say("The folder or the command has changed since that run ended: starting anew.");
    await store.catalog.delete(runId);
    nothingRedone = false;
    outcome = await run();
  }
  progress.clear();
  if (nothingRedone) progress.say("This run was complete already: nothing was done again.");
  else if (progress.restored.size > 0) {
    progress.say(`Done; ${progress.restored.size} of ${progress.total} steps were not done again.`);
  }

  const { html, json, index, catalogue } = outcome.values;
  const result: JobResult = {
    runId,
    html: await writeWhole(out, "report.html", html),
    json: await writeWhole(out, "report.json", json),
    files: catalogue.files.length,
    skipped: catalogue.skipped.length,
    ...(command.search !== undefined && { hits: hitsFor(index, command.search) }),
  };
  if (result.files === 0) {
    const reasons = catalogue.skipped.map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
    throw new Problem(`no text in ${folder} could be read:\n${reasons}\nMend it, then give --fresh.`);
  }
  return result;
}

const hitsFor = (index: InvertedIndex, words: string): string[] => search(index, words).map(({ path }) => path);

/** The text of a failure in an earlier process, as the cause of what it is told by now. */
function withKeptCause(error: unknown, failure: string | undefined): unknown {
  if (!isPulseError(error, "PULSE_RUN_FAILED") || error.cause !== undefined || failure === undefined) return error;
  return new PulseError("PULSE_RUN_FAILED", error.message, { details: error.details, cause: new Error(failure) });
}

/** An earlier run of that name, as its record shows it; `undefined` when there is none. */
async function earlierRun(pulse: Durable, runId: string): Promise<RunInspection | undefined> {
  try {
    return await pulse.inspect(runId);
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return undefined;
    throw error;
  }
}

function heading(folder: string, listing: Listing, runId: string, keptIn: string): string {
  const bytes = listing.files.reduce((sum, file) => sum + file.bytes, 0);
  const files = listing.files.length === 1 ? "1 file" : `${listing.files.length} files`;
  return `Indexing ${folder}: ${files}, ${Math.ceil(bytes / 1024)} KiB of text.\nRun ${runId}, kept in ${keptIn}.`;
}
