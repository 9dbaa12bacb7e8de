/** What a process with a store of its own is told to do: one line of JSON on its standard input each, done in turn. */
export type ProcessOrder =
  /** Opens the store; before any other order. */
  | {
      readonly kind: "open";
      readonly place: string;
      /** Decides what the runs of `live`, `acquire` and `save` hold. */
      readonly seed: number;
      /** Milliseconds for which `live` tries for a run whose owner was killed. */
      readonly busyMsMax: number;
      /** It kills itself when it reaches the point for the n-th time, from 1. */
      readonly stop?: { readonly point: string; readonly nth: number };
    }
  /** Works on several runs at once, as a program under load does: so many saves on each. */
  | { readonly kind: "live"; readonly lanes: number; readonly saves: number; readonly life: number }
  /** Acquires and loads; tells `busy` when somebody owns the run. */
  | { readonly kind: "acquire"; readonly runId: string }
  /** So many saves of the acquired run; ends with the first that fails. */
  | { readonly kind: "save"; readonly runId: string; readonly saves: number }
  | { readonly kind: "close"; readonly runId: string }
  /** Races with others for the runs `work 0` and on, until each was saved so many times. */
  | {
      readonly kind: "work";
      readonly runs: number;
      readonly times: number;
      readonly log: string;
      readonly worker: number;
    }
  /** Closes the store and ends the process. */
  | { readonly kind: "end" };

/** The runs of `work`. */
export const workRunId = (number: number): string => `work ${number}`;

/** Lives that work on the same runs: each has to make out again what all before it did there. */
const livesPerRun = 8;

/** The runs of `live`, one a lane; others after some lives. */
export const laneRunId = (lane: number, life: number): string => `lane ${lane} ${Math.floor(life / livesPerRun)}`;

/** The run of `live` that comes and goes. */
export const passingRunId = "passing";
