import { PulseError } from "@pulse-ts/core";
import type { RecordChanges } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { shownRunId } from "../run-id.ts";

/**
 * What a transition decides: the changes to add to the next save, and what the caller learns. Transitions are pure:
 * no clock, no store, no randomness; a refused command throws and changes nothing (DUR-19).
 */
export interface Decision<Result> {
  readonly changes: RecordChanges;
  readonly result: Result;
}

/** A command that the record's state does not allow: a mistake of the caller, never of the run's user. */
export function refuse(view: RunView, rule: string, problem: string): never {
  const { runId } = view.record.header;
  throw new PulseError("PULSE_USAGE", `run "${shownRunId(runId)}": ${problem}`, { details: { rule, runId } });
}

/** Ids are 16 random bytes in lower-case hex, made by the caller (REC-1). */
export const idForm = /^[0-9a-f]{32}$/;

/** Refuses an id of another form, or one that is taken. */
export function checkNewId(view: RunView, id: string): void {
  const { attempts, scopes } = view.record;
  if (!idForm.test(id)) refuse(view, "REC-1", `${JSON.stringify(id)} is no id: 32 lower-case hex digits`);
  const isSource = view.index.groupsOf(id).size > 0;
  if (isSource || attempts.has(id) || scopes.has(id) || view.pending.has(id))
    refuse(view, "REC-1", `the id ${id} is taken`);
}
