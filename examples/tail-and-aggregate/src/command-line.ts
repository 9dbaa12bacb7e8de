import { parseArgs } from "node:util";
import { Problem } from "./problem.ts";
import { readStorePlace } from "./store/store-place.ts";
import type { StorePlace } from "./store/store-place.ts";

/** What was asked for. Paths are as they were typed. */
export interface Command {
  readonly kind: "tail";
  readonly log: string;
  readonly follow: boolean;
  /** Only paths that begin with it are counted. */
  readonly prefix: string;
  readonly store: StorePlace;
  /** Absent: `.pulse/tail/<run id>`. */
  readonly out?: string;
  readonly runId?: string;
  readonly fresh: boolean;
}

export const help = `Count a growing access log by minute and status, through any crash.

  node dist/main.js FILE [options]     from examples/tail-and-aggregate, after npm run build

  FILE              the log, in the common log format or one that adds to it
  --until-end       count what is there, and end; the default
  --follow          go on as the file grows, until it is rotated; Ctrl-C interrupts
  --prefix PATH     count only the requests whose path begins with it
  --store PLACE     where the run's record is kept; default: file:.pulse/runs
                      file:./folder, sqlite:./runs.db, postgres://user:password@host:5432/database
                      (leave the password out and set PGPASSWORD: others see the list of processes)
  --out DIR         where result.json and the minutes go; default: .pulse/tail/<run id>
  --run-id ID       the run's name; default: made of the file's name and place
  --fresh           forget what an earlier run of this name has counted, and start again
  --help            this page

Interrupt it at any moment, with Ctrl-C or kill -9, and give the same command again: it goes on at the byte up to which it had
counted, and no line is lost or counted twice. A run that was begun with --follow may be finished with --until-end.

Exit codes: 0 done, 1 it could not be done, 2 the command was not understood, 130 interrupted by Ctrl-C.
`;

/**
 * Reads the arguments after the program's name.
 * @throws Problem with exit code 2 for an unknown option, or a value that does not fit
 */
export function readCommand(words: readonly string[]): Command | { readonly kind: "help" } {
  const { values, positionals } = parsed(words);
  if (values.help === true) return { kind: "help" };
  const [log] = positionals;
  if (log === undefined || log === "" || positionals.length > 1) throw usage("give one file");
  if (values.follow === true && values["until-end"] === true)
    throw usage("--follow and --until-end exclude each other");
  for (const name of ["store", "out", "run-id"] as const) {
    if (values[name] === "") throw usage(`--${name} has no value`);
  }
  return {
    kind: "tail",
    log,
    follow: values.follow === true,
    prefix: values.prefix ?? "",
    store: readStorePlace(values.store ?? "file:.pulse/runs"),
    fresh: values.fresh === true,
    ...(values.out !== undefined && { out: values.out }),
    ...(values["run-id"] !== undefined && { runId: values["run-id"] }),
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        follow: { type: "boolean" },
        "until-end": { type: "boolean" },
        prefix: { type: "string" },
        store: { type: "string" },
        out: { type: "string" },
        "run-id": { type: "string" },
        fresh: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    const [said = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw usage(said, error);
  }
}

const usage = (text: string, cause?: unknown): Problem =>
  new Problem(`${text}\n--help shows what can be given.`, { exitCode: 2, cause });
