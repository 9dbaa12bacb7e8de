import { aspect, attachment } from "@pulse-ts/core";
import type { BaseContext } from "@pulse-ts/core";
import { setTimeout as wait } from "node:timers/promises";
import type { FileReader } from "../scan/read-text.ts";
import type { FaultPlan } from "./faults.ts";

/**
 * What the bodies use of the world outside. It is attached to an execution and no part of the graph, so a resumed run
 * may well have another: more faults, a journal, a slower pace (CORE-51).
 */
export interface Equipment {
  readonly reader: FileReader;
  readonly faults?: FaultPlan;
  /** Notes each start of a body, before anything else of it. */
  readonly noteBody?: (place: BaseContext) => void;
  /** Milliseconds that each body waits before it begins, so that a small job can be interrupted by hand. */
  readonly slowMs?: number;
}

export const equipment = attachment<Equipment>("equipment");

/** The innermost aspect of each node: notes the body's start, and slows it down when that is asked for. */
export const watched = aspect("watched", async (context, next) => {
  const { noteBody, slowMs } = context.attachment(equipment);
  noteBody?.(context);
  if (slowMs !== undefined) await wait(slowMs, undefined, { signal: context.signal });
  await next();
});
