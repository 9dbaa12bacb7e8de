import type { Aspect } from "../aspects/aspect.ts";
import type { Node } from "../node.ts";
import { isPulseError } from "../errors.ts";
import { builtIn } from "../aspects/built-in.ts";
import { effectiveChain } from "../aspects/effective-chain.ts";
import { isSkip } from "./is-skip.ts";
import { runChild } from "./mount-run.ts";
import type { NodeContext } from "./node-context.ts";
import { releasePlaces } from "./place.ts";
import { interruption, misuse } from "./signals.ts";

/** Runs a node that is ready, in memory or with checkpoints. Never throws; the end of the chain is the node's. */
export function runChain(level: NodeContext, allSkipped: boolean): void {
  const { execution } = level;
  const { checkpoint, overrides } = execution.tree;
  if (checkpoint !== undefined) checkpoint.runNode(level, allSkipped);
  else if (allSkipped && overrides?.keysOf(execution.path, level.node, execution.compiled) === undefined) {
    releasePlaces(level);
    execution.publish(level, "skipped");
  } else runInMemory(level);
}

function runInMemory(level: NodeContext): void {
  let chain: Promise<unknown> | void;
  try {
    chain = startChain(level);
  } catch (error) {
    chainFailed(level, error);
    return;
  }
  if (chain === undefined) chainDone(level);
  else
    chain.then(
      () => chainDone(level),
      (error: unknown) => chainFailed(level, error),
    );
}

function chainDone(level: NodeContext): void {
  const failed = level.execution.tree.streams?.verdict(level);
  if (failed !== undefined) {
    chainFailed(level, failed.thrown);
    return;
  }
  releasePlaces(level);
  level.execution.publish(level, "completed");
}

function chainFailed(level: NodeContext, error: unknown): void {
  const verdict =
    level.execution.tree.streams?.verdict(level, { error }) ??
    (isSkip(error) ? refuseLateSkip(level) : { thrown: error });
  if (verdict === undefined) level.execution.publish(level, "skipped");
  else level.execution.fail(level, verdict.thrown);
  // Only now: who takes the place must see that the execution has failed (CORE-37).
  releasePlaces(level);
}

/** A skip is refused once something was written (CORE-42): gives the error to fail with instead. */
export function refuseLateSkip(level: NodeContext): { readonly thrown: unknown } | undefined {
  const { keys } = level.execution.compiled;
  const written = level.node.provides
    .filter((slot) => level.written(slot) !== undefined)
    .map((slot) => keys[slot]?.name);
  if (written.length === 0) return undefined;
  const names = written.map((name) => `"${name}"`).join(", ");
  return {
    thrown: misuse(
      "CORE-42",
      level.path,
      `was skipped after it had written ${names}; skip before the first write, or skip single keys`,
      written[0],
    ),
  };
}

/** Starts the whole chain: an overridden provider answers for its keys, anything else goes through its aspects. */
export function startChain(level: NodeContext): Promise<unknown> | void {
  const { execution, node } = level;
  const replaced = execution.tree.overrides?.keysOf(execution.path, node, execution.compiled);
  execution.markRunning(level, replaced === undefined);
  if (replaced === undefined) return enterChain(level, effectiveChain(execution.tree.aspects, node), 0);
  level.accept(replaced);
  return undefined;
}

/** Enters the chain at a place, counted from the outside; past the last aspect stands the body. */
function enterChain(level: NodeContext, chain: readonly Aspect[], place: number): Promise<unknown> | void {
  const aspect = chain[place];
  if (aspect === undefined) {
    // An aspect may call next late: no body begins after the end of what is around it (CORE-37).
    if (level.aborted) throw interruption(level.path, level.reason);
    if (level.closed) throw misuse("CORE-13", level.path, "has an aspect that calls next after its chain has ended");
    if (level.busy)
      throw misuse("CORE-13", level.path, "has an aspect that calls next while an earlier call still runs");
    return level.node.mount === undefined ? runBody(level) : runChild(level);
  }
  const enter = builtIn(aspect);
  if (enter !== undefined) return enter(level, place, (inside) => enterChain(inside, chain, place + 1));
  const answer = aspect.run(level, () => next(level, chain, place + 1));
  return isThenable(answer) ? asPromise(answer) : undefined;
}

/** What an aspect of the user's calls: never throws, always a promise. */
function next(level: NodeContext, chain: readonly Aspect[], place: number): Promise<void> {
  let inside: Promise<unknown> | void;
  try {
    inside = enterChain(level, chain, place);
  } catch (error) {
    const failed = Promise.reject(error);
    failed.catch(() => {
      if (level.closed) tellLate(level, error);
    });
    return failed;
  }
  if (inside === undefined) return nothing;
  // An aspect may answer without waiting for its next: what that fails with later escapes nowhere (CORE-15).
  // A body's promise sees to that by itself, when it fails: most do not, and this is on the path of every node.
  if (place < chain.length || level.node.mount !== undefined) quiet(inside);
  return inside as Promise<void>;
}

const nothing = Promise.resolve();

/** Whatever the promise is rejected with is no unhandled rejection. */
const quiet = (promise: Promise<unknown>): unknown => promise.then(undefined, () => {});

/** A body that its chain did not wait for has failed: an event tells it, nothing else does (CORE-15). */
function tellLate(level: NodeContext, error: unknown): void {
  // A timeout that gave it up tells by itself.
  for (let at: NodeContext | undefined = level; at !== undefined; at = at.outer)
    if (level.execution.late.has(at)) return;
  level.tell({ kind: "late-settled", error });
}

function runBody(level: NodeContext): Promise<unknown> | void {
  const { execution } = level;
  const body = bodyOf(level);
  execution.enter();
  level.busy = true;
  let result: unknown;
  try {
    const values = level.bodyValues();
    execution.tree.streams?.begin(level);
    result = body(values as never, level as never);
  } catch (error) {
    level.bodySettled();
    throw error;
  }
  if (!isThenable(result)) return takeResult(level, result);
  const taken: Promise<unknown> = asPromise(result).then(
    (value) => {
      try {
        takeResult(level, value);
      } catch (error) {
        quiet(taken);
        throw error;
      }
    },
    (error: unknown) => {
      level.bodySettled();
      if (level.closed) tellLate(level, error);
      quiet(taken);
      throw error;
    },
  );
  return taken;
}

function takeResult(level: NodeContext, result: unknown): void {
  level.bodySettled();
  // A body may return the signal instead of raising it (CORE-8).
  if (!isPlain(result) && isPulseError(result, "PULSE_NO_VALUE")) throw result;
  level.accept(result);
}

function bodyOf(level: NodeContext): Node["body"] {
  const override = level.execution.tree.overrides?.bodyOf(level.path);
  return override ?? (level.node.node as Node).body;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise || isPlain(value)) return value instanceof Promise;
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * What bodies mostly return. Asking a thousand shapes of objects for a name they lack is the slowest step on the path of a
 * node; asking for the prototype is not.
 */
function isPlain(value: unknown): boolean {
  return value !== undefined && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function asPromise(value: PromiseLike<unknown>): Promise<unknown> {
  return value instanceof Promise ? value : Promise.resolve(value);
}
