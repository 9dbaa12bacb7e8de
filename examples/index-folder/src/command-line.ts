import { parseArgs } from "node:util";
import { chunksDefault, chunksMax } from "./graph/index-graph.ts";
import { Problem } from "./problem.ts";
import type { FaultPlan } from "./run/faults.ts";
import { readStorePlace } from "./store/store-place.ts";
import type { StorePlace } from "./store/store-place.ts";

/** What was asked for. Paths are as they were typed. */
export interface Command {
  readonly kind: "index";
  /** Absent: the repository's own documentation. */
  readonly folder?: string;
  readonly store?: StorePlace;
  readonly out?: string;
  readonly runId?: string;
  readonly chunks: number;
  readonly fresh: boolean;
  readonly search?: string;
  readonly faults?: FaultPlan;
  readonly slowMs?: number;
  readonly traceFile?: string;
}

export const help = `Index a folder of text and Markdown: statistics, an inverted index, ranked terms, one HTML and one JSON report.

  npm start -- [folder] [options]          from the repository's top
  node dist/main.js [folder] [options]     from examples/index-folder

  folder            the folder to index; default: the repository's own docs
  --out DIR         where the reports go; default: .pulse/reports/<run id>
  --store PLACE     where the run's record is kept; default: file:.pulse/runs
                      file:./folder              files: one host, many processes
                      sqlite:./runs.db           one file of SQLite: one host, many processes
                      postgres://user:password@host:5432/database
                                                 PostgreSQL, in a schema "pulse" of its own that is made when it is not
                                                 there. Others see the password in the list of processes: leave it out,
                                                 and set PGPASSWORD
  --run-id ID       the run's name; default: made of the folder's name and place
  --fresh           forget what an earlier run of this name has confirmed, and start again
  --chunks N        how many parts the files are dealt into, 1 to ${chunksMax}; default: ${chunksDefault}
  --search WORDS    also print the files that have all these words
  --flaky P         make each try of reading a chunk fail with probability P (0 to 1), to watch the retries
  --seed N          which tries fail under --flaky; default: 1
  --slow MS         wait so long before each step, to have time for an interruption
  --trace FILE      append a line to FILE whenever a step's body starts
  --help            this page

Interrupt it at any moment, with Ctrl-C or kill -9, and give the same command again: it goes on from what was
confirmed, says what it did not have to redo, and ends with the same report, byte for byte.

Exit codes: 0 done, 1 it could not be done, 2 the command was not understood, 130 interrupted by Ctrl-C.
`;

const slowMsMax = 60_000;

/**
 * Reads the arguments after the program's name.
 * @throws Problem with exit code 2 for an unknown option, or a value that does not fit
 */
export function readCommand(words: readonly string[]): Command | { readonly kind: "help" } {
  const { values, positionals } = parsed(words);
  if (values.help === true) return { kind: "help" };
  if (positionals.length > 1) {
    throw usage(`one folder at a time: ${positionals.map((word) => JSON.stringify(word)).join(", ")}`);
  }
  const [folder] = positionals;
  const chunks = numberOf("chunks", values.chunks, { from: 1, to: chunksMax, whole: true });
  const probability = numberOf("flaky", values.flaky, { from: 0, to: 1, whole: false });
  const seed = numberOf("seed", values.seed, { from: 0, to: Number.MAX_SAFE_INTEGER, whole: true });
  const slowMs = numberOf("slow", values.slow, { from: 0, to: slowMsMax, whole: true });
  for (const name of ["store", "out", "run-id", "trace"] as const) {
    if (values[name] === "") throw usage(`--${name} has no value`);
  }
  if (folder === "") throw usage("the folder's name is empty");
  return {
    kind: "index",
    chunks: chunks ?? chunksDefault,
    fresh: values.fresh === true,
    ...(folder !== undefined && { folder }),
    ...(values.store !== undefined && { store: storePlace(values.store) }),
    ...(values.out !== undefined && { out: values.out }),
    ...(values["run-id"] !== undefined && { runId: values["run-id"] }),
    ...(values.search !== undefined && { search: values.search }),
    ...(probability !== undefined && { faults: { probability, seed: seed ?? 1 } }),
    ...(slowMs !== undefined && { slowMs }),
    ...(values.trace !== undefined && { traceFile: values.trace }),
  };
}

function storePlace(text: string): StorePlace {
  try {
    return readStorePlace(text);
  } catch (error) {
    throw error instanceof Problem ? usage(error.message, error) : error;
  }
}

const options = {
  out: { type: "string" },
  store: { type: "string" },
  "run-id": { type: "string" },
  fresh: { type: "boolean" },
  chunks: { type: "string" },
  search: { type: "string" },
  flaky: { type: "string" },
  seed: { type: "string" },
  slow: { type: "string" },
  trace: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options });
  } catch (error) {
    throw usage(misreadIn(words), error);
  }
}

/** What is wrong with words that Node's reader refuses: it says so in a text of its own, and on several lines. */
function misreadIn(words: readonly string[]): string {
  const { tokens } = parseArgs({ args: [...words], allowPositionals: true, strict: false, tokens: true, options });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { rawName, value } = token;
    const option = optionNamed(token.name);
    if (option === undefined || !(rawName.startsWith("--") || rawName === "-h")) return `there is no option ${rawName}`;
    if (option.type === "boolean" && value !== undefined) return `${rawName} takes no value`;
    if (option.type === "string" && value === undefined) return `${rawName} has no value`;
    if (value?.startsWith("-") === true && !token.inlineValue) {
      return `${rawName} has no value, unless ${JSON.stringify(value)} is it: then write ${rawName}=${value}`;
    }
  }
  return "the command was not understood";
}

const optionNamed = (name: string): { readonly type: "string" | "boolean" } | undefined =>
  Object.entries(options).find(([known]) => known === name)?.[1];

interface Range {
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
}

function numberOf(name: string, text: string | undefined, range: Range): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= range.from && value <= range.to && (!range.whole || Number.isInteger(value))) return value;
  throw usage(
    `--${name} takes a ${range.whole ? "whole " : ""}number from ${range.from} to ${range.to}, not ${JSON.stringify(text)}`,
  );
}

const usage = (text: string, cause?: unknown): Problem =>
  new Problem(`${text}\n--help shows what can be given.`, { exitCode: 2, cause });
