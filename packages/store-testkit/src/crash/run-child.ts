import { isPulseError } from "@pulse-ts/core";
import type { PulseError } from "@pulse-ts/core";
import type { Durable, RunOptions } from "@pulse-ts/durable";
import { durableAt } from "@pulse-ts/durable/testing";
import { budgetsOf } from "./budgets.ts";
import { readOrder } from "./child-order.ts";
import type { ChildOrder } from "./child-order.ts";
import { childVoice } from "./child-voice.ts";
import type { ChildVoice } from "./child-voice.ts";
import { faultPoints } from "./fault-points.ts";
import type { FaultPoints } from "./fault-points.ts";
import { idleHost } from "./idle-host.ts";
import { resultOf, runEnd } from "./run-end.ts";
import type { RunResult } from "./run-end.ts";
import type { CrashParts, CrashSubject } from "./subject.ts";
import { watchedStore } from "./watched-store.ts";
import type { WatchedStore } from "./watched-store.ts";

/**
 * The whole life of a process under test: a program calls this and nothing else. It runs or resumes the run that its order
 * names, tells what happens, and is killed wherever its starter, or its order, wants.
 */
export async function runCrashChild(
  parts: CrashParts,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const voice = childVoice();
  let told = 0;
  const tell: ChildVoice = (event) => {
    told += 1;
    voice(event);
  };
  try {
    await obey(readOrder(words), parts, { tell, told: () => told });
  } catch (error) {
    if (isLoss(error) && readOrder(words).mayLoseStore === true) {
      tell({ kind: "store-lost", message: `${error.code}: ${error.message}` });
      // What the store still waits for is gone.
      process.exit(0);
    }
    tell({ kind: "broken", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.exitCode = 1;
  }
}

/** What comes of a medium that cannot be reached, or could not for so long that the run is not this process's any more. */
function isLoss(error: unknown): error is PulseError {
  if (isPulseError(error, "PULSE_CHECKPOINT")) return isLoss(error.cause);
  return isPulseError(error, "PULSE_STORE") || isPulseError(error, "PULSE_OWNERSHIP_LOST");
}

async function obey(order: ChildOrder, { subjects, stores }: CrashParts, { tell, told }: Told): Promise<void> {
  const points = faultPoints(order.stop?.kind === "point" ? order.stop : undefined, tell);
  const subject = await named(subjects, "subject", order.subject)(
    order.input,
    (start) => tell({ kind: "body", ...start }),
    (start) => tell({ kind: "message", ...start }),
  );
  const inner = await named(stores, "store", order.store)(order.place, (point) => points.reach(`store: ${point}`));
  let cancel = (): void => {};
  let saves = 0;
  const watched = watchedStore(inner, tell, () => {
    saves += 1;
    if (order.stop?.kind === "cancel" && saves === order.stop.saves) cancel();
  });
  const pulse = openDurable({ order, watched, points, told });
  try {
    const interruption = new AbortController();
    cancel = () => interruption.abort(new Error("interrupted on purpose"));
    let result = await resultOf(go(pulse, subject, { ...runOptions(order, subject), signal: interruption.signal }));
    if ("error" in result && isPulseError(result.error, "PULSE_INTERRUPTED") && interruption.signal.aborted) {
      tell({ kind: "interrupted" });
      result = await resultOf(go(pulse, subject, runOptions(order, subject)));
    }
    tell({ kind: "ended", end: endOf(result), budgets: budgetsOf(await pulse.inspect(order.runId)) });
    const again = { ...runOptions(order, subject), verify: "all" } as const;
    tell({ kind: "ended-again", end: endOf(await resultOf(go(pulse, subject, again))) });
  } finally {
    await pulse.close();
  }
  tell({ kind: "points", counts: points.counts });
}

interface Told {
  readonly tell: ChildVoice;
  /** How much was told so far. */
  readonly told: () => number;
}

interface DurableParts extends Pick<Told, "told"> {
  readonly order: ChildOrder;
  readonly watched: WatchedStore;
  readonly points: FaultPoints;
}

function openDurable({ order, watched: { store, busy }, points, told }: DurableParts): Durable {
  const host = idleHost({ busy: () => busy() > 0, activity: told, seed: order.seed });
  return durableAt({ store, host }, (point) => points.reach(`runtime: ${point}`));
}

function go(pulse: Durable, { graph, inputs }: CrashSubject, options: RunOptions) {
  // Of any graph the inputs are checked at run time alone (CORE-28).
  return pulse.runOrResume(graph, inputs, options);
}

function runOptions({ runId }: ChildOrder, { version, options }: CrashSubject): RunOptions {
  return { ...options, runId, version };
}

/** @throws what the run ended with, when no run should end so */
function endOf(result: RunResult) {
  const end = runEnd(result);
  if (end !== undefined) return end;
  throw "error" in result ? result.error : new Error("a run that gave an outcome has ended");
}

function named<Part>(parts: Readonly<Record<string, Part>>, what: string, name: string): Part {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined)
    throw new Error(`this program has no ${what} "${name}"; it has ${Object.keys(parts).join(", ")}`);
  return part;
}
