import { isPulseError } from "@pulse-ts/core";
import type { AnyGraph, PulseError } from "@pulse-ts/core";
import { durable } from "../durable.ts";
import type { RunRecord } from "../record/format.ts";
import type { Store } from "../store.ts";
import { turn } from "./worker.ts";

/** What a run of these graphs may take at the very most, so that one that goes round is found out. */
const turnsMax = 20_000;
const callsMax = 60;

/** A record as a run had it, before it was damaged. */
export interface MutationBase {
  readonly record: RunRecord;
  readonly inputs: object;
}

/** The codes that a damaged record may be refused with. */
export const refusals: readonly string[] = ["PULSE_CORRUPT", "PULSE_INCOMPATIBLE", "PULSE_NEWER_FORMAT"];

/** How a run ends whose handler has another limit than its recorded tries: only the handler knows its limit. */
export const stoppedLate = "stopped by PULSE_INCOMPATIBLE";

/** An entry key, or the map that is none; or what disagrees. */
function namesPlace(error: PulseError): boolean {
  if (isPulseError(error, "PULSE_INCOMPATIBLE")) return error.details.what !== undefined;
  if (!isPulseError(error, "PULSE_CORRUPT")) return true;
  const { where } = error.details;
  return (
    /^(?:header|(?:scope|node|attempt|stream|message|try|managed)\/|\w+$)/.test(where) && error.message.includes(where)
  );
}

/** Durable execution on a store that gives one record, whatever it is. Tells how its resume ended, in a few words. */
export function mutationBench(
  graphOf: (called: (path: string) => void) => AnyGraph,
): (given: RunRecord, base: MutationBase) => Promise<string> {
  let record: RunRecord;
  let saves = 0;
  const called: string[] = [];
  const graph = graphOf((path) => void called.push(path));
  const store: Store = {
    acquire: () =>
      Promise.resolve({
        load: () => Promise.resolve(record),
        save: () => {
          saves += 1;
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      }),
  };
  const pulse = durable({ store });
  return async (given, { inputs, record: { header } }) => {
    record = given;
    saves = 0;
    called.length = 0;
    const events: unknown[] = [];
    const call = { runId: header.runId, version: "1", observers: [(event: unknown) => void events.push(event)] };
    const ends: string[] = [];
    // The cast holds as the inputs are those that the run was started with.
    void pulse.resume(graph, inputs as never, call).then(
      ({ values }) => ends.push(`completed with ${JSON.stringify(values)}`),
      (error: unknown) => {
        if (isPulseError(error, "PULSE_RUN_FAILED")) ends.push(`failed at ${error.details.path}`);
        else if (isPulseError(error, "PULSE_CHECKPOINT") && isPulseError(error.cause, "PULSE_INCOMPATIBLE"))
          ends.push(stoppedLate);
        else if (!isPulseError(error) || !refusals.includes(error.code)) ends.push(`threw ${String(error)}`);
        else if (saves + called.length + events.length > 0) ends.push(`refused too late with ${error.code}`);
        else if (!namesPlace(error)) ends.push(`refused without a place: ${error.message}`);
        else ends.push(error.code);
      },
    );
    for (let turns = 0; turns < turnsMax && called.length < callsMax; turns += 1) {
      const [end] = ends;
      if (end !== undefined) return end;
      await turn();
    }
    return "it does not end";
  };
}
