import { parseArgs } from "node:util";
import { chosenKills, chosenSeed, killsDefault } from "../chosen.ts";

/** What the command was asked for. */
export type Order = { readonly kind: "help" } | { readonly kind: "wrong"; readonly problem: string } | CheckOrder;

export interface CheckOrder {
  readonly kind: "check";
  /** As it was given. */
  readonly module: string;
  readonly only: readonly string[] | undefined;
  readonly seed: number;
  readonly kills: number;
  readonly json: boolean;
}

/** What `--help` prints. */
export const help = `Checks a store for Pulse's durable runs against its contract.

  pulse-store-check <store module> [options]

The store module is a file that Node can import. It exports \`subject\` (or a default):

  export const subject = {
    name: "my store",
    newPlace: async () => "…",          // makes a new, empty place; the text is given to open
    open: (place, at) => myStore(place), // the store on it, in this or another process
    // removePlace, faultPoints, without, takeoverMs, overtakeMs: see the README
  };

options
  --only <ids>     these requirements or rules alone, with commas: --only STORE-3,STORE-7.pages
  --seed <number>  repeats the chance of a report that prints this seed; default PULSE_SEED, else a new one
  --kills <number> at how many random moments a process is killed; default PULSE_KILLS, else ${killsDefault}
  --json           prints the report as one JSON document
  --help           prints this

exit code: 0 nothing failed, 1 the store failed a requirement, 2 the store could not be checked
`;

/** Reads the command line. Never throws: what is wrong is told. */
export function readArguments(args: readonly string[]): Order {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help === true) return { kind: "help" };
    const [module, ...rest] = positionals;
    if (module === undefined) return wrong("give the path of a store module");
    if (rest.length > 0) return wrong(`one store module at a time: what is "${rest.join(" ")}"?`);
    const only = values.only?.flatMap((list) => list.split(",")).map((id) => id.trim());
    const { seed, kills, json = false } = values;
    return { kind: "check", module, only, seed: chosenSeed(seed), kills: chosenKills(kills), json };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

const options = {
  help: { type: "boolean", short: "h" },
  only: { type: "string", multiple: true },
  seed: { type: "string" },
  kills: { type: "string" },
  json: { type: "boolean" },
} as const;

const wrong = (problem: string): Order => ({ kind: "wrong", problem });
