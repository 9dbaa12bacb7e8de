import { PulseError } from "@pulse-ts/core";
import { headerKey } from "../record/entry-key.ts";
import { recordFormat } from "../record/format.ts";
import type { RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import { attemptProblems } from "./attempts.ts";
import { chainsOf } from "./chains.ts";
import type { Chains } from "./chains.ts";
import type { DefinitionView } from "./definition-view.ts";
import { changedInputs, codecDifferences, definitionDifferences, inputDifferences, shortened } from "./differences.ts";
import { formatProblems } from "./formats.ts";
import { headerProblems, statusProblems } from "./header.ts";
import { nodeProblems } from "./nodes.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import type { GivenInputs } from "./scope-inputs.ts";
import { scopeProblems } from "./scopes.ts";
import { shapeProblems } from "./shapes.ts";
import { refuseUnresumable } from "./resumable.ts";
import { streamProblems } from "./streams.ts";
import { valueProblems } from "./values.ts";

/** Which run is checked, and what for: "resuming" by default. */
export interface CheckCall {
  readonly runId: string;
  readonly doing?: string;
}

/** What the caller of `resume` says about the run (REC-17). */
export interface ResumeCall extends CheckCall {
  readonly version: string;
  readonly definition: string;
  readonly inputs: string;
  /** The root inputs at hand, as the header's `outline` keeps those that the run was started with (DUR-4). */
  readonly inputsOutline?: Readonly<Record<string, string>>;
  /** The root inputs at hand, by name: what the older fingerprints of scopes are made of (REC-3). */
  readonly given?: GivenInputs;
  /** The ids of the encryption keys that an input's fingerprint is made with (CODEC-19). */
  readonly keyIdsOf?: (input: string) => readonly string[];
}

/**
 * Checks a loaded record before anything runs (REC-17 to REC-22, REC-29): first the header against the call, then all entries
 * against each other and the definition, then every value's digest; last, that each stream which is to be written on can be
 * (STR-48). Linear in the record; nothing is decoded or changed.
 * @throws PULSE_NEWER_FORMAT; PULSE_CORRUPT with `problems`, each naming an entry key and field;
 *   PULSE_INCOMPATIBLE for another version, definition, inputs or codec, with what was expected and found, and for a writer
 *   that did not declare that it can continue
 */
export function checkRecord(record: RunRecord, definition: DefinitionView, call: ResumeCall): void {
  checkHeader(record, call);
  checkAgreement(record, definition, call);
  refuse(call, recordProblems(record, definition, call.given));
  refuseUnresumable(record, call);
}

/**
 * Checks a record without its definition, as far as it tells by itself: what is exported and imported (REC-26), or shown.
 * @throws PULSE_NEWER_FORMAT; PULSE_CORRUPT with `problems`, each naming an entry key and field
 */
export function checkRecordAlone(record: RunRecord, call: CheckCall): void {
  checkHeader(record, call);
  refuse(call, recordProblems(record));
}

/**
 * The same but for the values: that a record is a tree, so that it can be shown.
 * @throws PULSE_NEWER_FORMAT, PULSE_CORRUPT
 */
export function checkTree(record: RunRecord, call: CheckCall): void {
  checkHeader(record, call);
  refuse(call, treeProblems(partsOf(record)));
}

/** Refuses what has no header to look at: a custom store may give anything. @throws PULSE_CORRUPT */
export function checkIsRecord(record: unknown, call: CheckCall): asserts record is { readonly header: object } {
  const header: unknown =
    typeof record === "object" && record !== null ? (record as Partial<RunRecord>).header : record;
  if (typeof header === "object" && header !== null) return;
  refuse(call, [corrupt(headerKey, "", "the store gave no record that has one")]);
}

/** Shapes first: all later checks rely on them. */
function checkHeader(record: RunRecord, call: CheckCall): void {
  checkIsRecord(record, call);
  refuseNewerFormat(record, call);
  refuse(call, shapeProblems(record));
  refuse(call, formatProblems(record));
  refuse(call, headerProblems(record, call.runId));
}

/** All that is wrong inside a record whose shapes and header were found right. */
function recordProblems(record: RunRecord, definition?: DefinitionView, given?: GivenInputs): readonly RecordProblem[] {
  return [...treeProblems(partsOf(record, definition), given), ...valueProblems(record)];
}

function partsOf(record: RunRecord, definition?: DefinitionView): CheckedParts & Pick<Chains, "problems"> {
  return { record, ...chainsOf(record), ...(definition === undefined ? {} : { definition }) };
}

/** Streams stand on the tree: what is checked of them relies on one that is sound. */
function treeProblems(parts: ReturnType<typeof partsOf>, given?: GivenInputs): readonly RecordProblem[] {
  const tree = [
    ...parts.problems,
    ...scopeProblems(parts, given),
    ...attemptProblems(parts),
    ...nodeProblems(parts),
    ...statusProblems(parts),
  ];
  const isSound = !tree.some(({ kind }) => kind === "corrupt" || kind === "definition");
  return isSound ? [...tree, ...streamProblems(parts)] : tree;
}

function refuseNewerFormat(record: RunRecord, { runId, doing = "resuming" }: CheckCall): void {
  const format: unknown = record.header.format;
  if (typeof format !== "number" || !(format > recordFormat)) return;
  throw new PulseError(
    "PULSE_NEWER_FORMAT",
    `${doing} run "${shownRunId(runId)}": its record has format ${format}, this version of @pulse-ts/durable reads up to ${recordFormat}; use a newer one`,
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
      `resuming run "${shownRunId(runId)}": ${disagreement}; resume it with what it was started with, or start a run under another id${what === "inputs" ? keyAdvice(record, call) : ""}`,
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

/** A fingerprint that is made with a key differs as well when the key does: then the inputs may be those of the start. */
function keyAdvice({ header }: RunRecord, { inputsOutline = {}, keyIdsOf = () => [] }: ResumeCall): string {
  const changed = changedInputs(header.outline ?? {}, inputsOutline);
  const ids = [...new Set(changed.flatMap(keyIdsOf))].map((id) => JSON.stringify(id));
  if (ids.length === 0) return "";
  const keys = ids.length === 1 ? `the key ${ids[0]}` : `the keys ${ids.join(", ")}`;
  return `. If the inputs are the same, ${keys} may have other bytes than at the start: give the key ring the bytes that had that id then`;
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

/** By the outlines when there are two, and the codecs that the entries show to be others; else by the entries alone. */
function definitionLines(record: RunRecord, definition: DefinitionView): readonly string[] {
  const { outline } = record.header;
  const problems = recordProblems(record, definition);
  if (outline !== undefined && definition.outline !== undefined) {
    return [...definitionDifferences(outline, definition.outline), ...codecDifferences(problems)];
  }
  return linesOf(problems.filter(({ kind }) => kind !== "corrupt"));
}

function refuse({ runId, doing = "resuming" }: CheckCall, problems: readonly RecordProblem[]): void {
  const [any] = problems;
  if (any === undefined) return;
  // The definition was found the same, so whatever else does not fit it is damage; a codec's version is not part of it (DUR-5).
  const damage = problems.filter(({ kind }) => kind === "corrupt" || kind === "definition");
  const lines = linesOf(damage.length === 0 ? problems : damage);
  const text = lines.slice(0, 3).join("; ");
  if (damage[0] !== undefined) {
    throw new PulseError(
      "PULSE_CORRUPT",
      `${doing} run "${shownRunId(runId)}": ${text}; restore the run from a backup`,
      {
        details: { runId, next: "restore-backup", where: damage[0].where, problems: lines },
      },
    );
  }
  const first = problems.find(({ kind }) => kind === "scope") ?? any;
  const { kind, where: _, problem: __, ...details } = first;
  const what = kind === "scope" ? "scope" : "codec";
  const advice = what === "scope" ? "definition and fixed values" : "codecs";
  throw new PulseError(
    "PULSE_INCOMPATIBLE",
    `${doing} run "${shownRunId(runId)}": ${text}; resume it with the ${advice} that it was started with`,
    { details: { runId, next: "same-definition", what, differences: lines, ...details } },
  );
}

function linesOf(problems: readonly RecordProblem[]): readonly string[] {
  return shortened(problems.map(({ where, problem }) => `${where}: ${problem}`));
}
