import { PulseError } from "@pulse-ts/core";
import { recordFormat } from "../record/format.ts";
import type { RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import { attemptProblems } from "./attempts.ts";
import { chainsOf } from "./chains.ts";
import type { DefinitionView } from "./definition-view.ts";
import { definitionDifferences, inputDifferences, shortened } from "./differences.ts";
import { headerProblems, statusProblems } from "./header.ts";
import { nodeProblems } from "./nodes.ts";
import type { RecordProblem } from "./problem.ts";
import { scopeProblems } from "./scopes.ts";
import { shapeProblems } from "./shapes.ts";
import { valueProblems } from "./values.ts";

/** What the caller of `resume` says about the run (REC-17). */
export interface ResumeCall {
  readonly runId: string;
  readonly version: string;
  readonly definition: string;
  readonly inputs: string;
  /** The root inputs at hand, as the header's `outline` keeps those that the run was started with (DUR-4). */
  readonly inputsOutline?: Readonly<Record<string, string>>;
}

/**
 * Checks a loaded record before anything runs (REC-17 to REC-19): first the header against the call, then all entries
 * against each other and the definition, then every value's digest. Linear in the record; nothing is decoded or changed.
 * @throws PULSE_NEWER_FORMAT; PULSE_CORRUPT with `problems`, each naming an entry key and field;
 *   PULSE_INCOMPATIBLE for another version, definition, inputs or codec, with what was expected and found
 */
export function checkRecord(record: RunRecord, definition: DefinitionView, call: ResumeCall): void {
  refuseNewerFormat(record, call);
  refuse(call, shapeProblems(record));
  refuse(call, headerProblems(record, call.runId));
  checkAgreement(record, definition, call);
  refuse(call, recordProblems(record, definition));
}

/** All that is wrong inside a record whose shapes and header were found right. */
export function recordProblems(record: RunRecord, definition: DefinitionView): readonly RecordProblem[] {
  const { scopeOf, problems } = chainsOf(record);
  return [
    ...problems,
    ...scopeProblems(record, definition, scopeOf),
    ...attemptProblems(record, definition, scopeOf),
    ...nodeProblems(record, definition, scopeOf),
    ...statusProblems(record, definition),
    ...valueProblems(record),
  ];
}

function refuseNewerFormat(record: RunRecord, { runId }: ResumeCall): void {
  const { format } = record.header;
  if (!(format > recordFormat)) return;
  throw new PulseError(
    "PULSE_NEWER_FORMAT",
    `resuming run "${shownRunId(runId)}": its record has format ${format}, this version of @pulse-ts/durable reads up to ${recordFormat}; use a newer one`,
    { details: { runId, next: "newer-package", found: format, supported: recordFormat } },
  );
}

function checkAgreement(record: RunRecord, definition: DefinitionView, call: ResumeCall): void {
  const { runId } = call;
  for (const what of ["version", "definition", "inputs"] as const) {
    const [expected, found] = [record.header[what], call[what]];
    if (expected === found) continue;
    const differences = differencesIn(what, record, definition, call);
    const list = differences.length === 0 ? "" : ` (${differences.join("; ")})`;
    // Versions are the host's own words. Hashes say nothing to a reader: they are in the details.
    const disagreement =
      what === "version"
        ? `it was started with the version ${JSON.stringify(expected)}, ${JSON.stringify(found)} was given`
        : `it was started with ${what === "inputs" ? "other inputs" : "another definition"}${list}`;
    throw new PulseError(
      "PULSE_INCOMPATIBLE",
      `resuming run "${shownRunId(runId)}": ${disagreement}; resume it with what it was started with, or start a run under another id`,
      {
        details: {
          runId,
          next: "same-definition",
          what,
          expected,
          found,
          ...(differences.length === 0 ? undefined : { differences }),
        },
      },
    );
  }
}

function differencesIn(
  what: "version" | "definition" | "inputs",
  record: RunRecord,
  definition: DefinitionView,
  { inputsOutline = {} }: ResumeCall,
): readonly string[] {
  if (what === "definition") return definitionLines(record, definition);
  return what === "inputs" ? inputDifferences(record.header.outline ?? {}, inputsOutline) : [];
}

/** By the outlines when there are two, else by what the entries show. */
function definitionLines(record: RunRecord, definition: DefinitionView): readonly string[] {
  const { outline } = record.header;
  if (outline !== undefined && definition.outline !== undefined) {
    return definitionDifferences(outline, definition.outline);
  }
  return linesOf(recordProblems(record, definition).filter(({ kind }) => kind !== "corrupt"));
}

function refuse({ runId }: ResumeCall, problems: readonly RecordProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  // The definition was found the same, so whatever else does not fit it is damage; a codec's version is not part of it (DUR-5).
  const damage = problems.filter(({ kind }) => kind !== "codec");
  const lines = linesOf(damage.length === 0 ? problems : damage);
  const text = lines.slice(0, 3).join("; ");
  if (damage[0] !== undefined) {
    throw new PulseError(
      "PULSE_CORRUPT",
      `resuming run "${shownRunId(runId)}": ${text}; restore the run from a backup`,
      {
        details: { runId, next: "restore-backup", where: damage[0].where, problems: lines },
      },
    );
  }
  const { expected, found, key } = first;
  throw new PulseError(
    "PULSE_INCOMPATIBLE",
    `resuming run "${shownRunId(runId)}": ${text}; resume it with the codecs that it was started with`,
    {
      details: {
        runId,
        next: "same-definition",
        what: "codec",
        expected,
        found,
        differences: lines,
        ...(key === undefined ? undefined : { key }),
      },
    },
  );
}

function linesOf(problems: readonly RecordProblem[]): readonly string[] {
  return shortened(problems.map(({ where, problem }) => `${where}: ${problem}`));
}
