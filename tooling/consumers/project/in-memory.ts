import {
  attach,
  attachment,
  graph,
  isPulseError,
  key,
  mount,
  node,
  optional,
  retry,
  run,
  toMermaid,
  type,
} from "@pulse-ts/core";
import type { InputsOf, OutcomeOf, OutputsOf } from "@pulse-ts/core";

// Imports nothing but the core, so that it is also compiled without @types/node and without zod.

interface Schema<Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Value; readonly output: Value };
    readonly validate: (
      value: unknown,
    ) => { readonly value: Value } | { readonly issues: readonly { message: string }[] };
  };
}

/** A schema as any library that keeps Standard Schema gives one. */
const text: Schema<string> = {
  "~standard": {
    version: 1,
    vendor: "own",
    validate: (value) => (typeof value === "string" ? { value } : { issues: [{ message: "no text" }] }),
  },
};

const sentence = key("sentence", text);
const words = key("words", type<readonly string[]>());
const longest = key("longest", text);
const hint = key("hint", text);
const report = key("report", text);

let asked = 0;
const split = node(
  "split",
  { requires: [sentence], provides: [words], aspects: [retry({ limit: 2 })] },
  ({ sentence }) => {
    asked += 1;
    if (asked === 1) throw new Error("not yet");
    return { words: sentence.split(" ") };
  },
);
const pick = node("pick", { requires: [words], provides: [longest] }, ({ words }) => ({
  longest: words.reduce((longest, word) => (word.length > longest.length ? word : longest), ""),
}));
const inner = graph("inner", { inputs: [words], outputs: [longest], nodes: [pick] });

const said = attachment<string[]>("said");
const hinted = node("hinted", { requires: [sentence], provides: [hint] }, (_values, context) => ({
  hint: context.skip(hint),
}));
const tell = node("tell", { requires: [longest, optional(hint)], provides: [report] }, ({ longest, hint }, context) => {
  context.attachment(said).push(context.path);
  return { report: `${longest} (${hint ?? "no hint"})` };
});

/** Retry, mount, skip, optional key and attachment in one graph. */
export const telling = graph("telling", {
  inputs: [sentence],
  outputs: [report, longest],
  nodes: [split, mount("inner", inner), hinted, tell],
});

/** True for two types that can each stand for the other; false if the left one is `any`. */
type Same<Left, Right> = 0 extends 1 & Left ? false : [Left, Right] extends [Right, Left] ? true : false;

/** Does not compile unless names and values of what goes in and comes out are inferred. */
export const inferred: readonly [
  Same<InputsOf<typeof telling>, { readonly sentence: string }>,
  Same<OutputsOf<typeof telling>["longest"], string>,
  Same<OutcomeOf<typeof telling>["values"]["report"], string>,
] = [true, true, true];

/** Throws unless everything in memory is as the documentation says. */
export async function runInMemory(): Promise<string> {
  const paths: string[] = [];
  const outcome = await run(telling, { sentence: "graphs of typed steps" }, { attachments: [attach(said, paths)] });
  const longest: string = outcome.values.longest;
  same(longest, "graphs");
  same(outcome.values.report, "graphs (no hint)");
  same(paths.join(), "tell");
  same(toMermaid(telling).startsWith("flowchart"), true);

  const refused = await caught(run(telling, { sentence: 7 as never }, { attachments: [attach(said, paths)] }));
  if (!isPulseError(refused, "PULSE_INVALID")) throw new Error("a wrong input was not refused", { cause: refused });
  same(refused.details.problems[0]?.code, "PULSE_INPUT_INVALID");

  // @ts-expect-error an input is missing, and its name is told
  const missing = await caught(run(telling, {}));
  same(isPulseError(missing, "PULSE_INVALID"), true);
  return "in memory";
}

async function caught(running: Promise<unknown>): Promise<unknown> {
  try {
    await running;
  } catch (error) {
    return error;
  }
  throw new Error("expected a failure");
}

function same(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`expected ${String(expected)}, found ${String(found)}`);
}
