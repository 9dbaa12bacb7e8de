import { unmet } from "../expectation.ts";
import type { StoreProcess } from "./start-process.ts";

/** The revision that a process told as saved next. @throws an Error that says why there is none */
export async function savedBy(owner: StoreProcess): Promise<number> {
  const event = await owner.next("saved", "failed");
  if (event.kind === "saved") return event.revision;
  throw unmet(`${event.doing} failed with ${event.code}: ${event.message}`, "a save by the owner of the run");
}

/** Whether a process that was told to acquire a run got it. @throws an Error for any other end than getting it or PULSE_BUSY */
export async function gotRun(contender: StoreProcess): Promise<boolean> {
  const event = await contender.next("acquired", "busy", "failed");
  if (event.kind !== "failed") return event.kind === "acquired";
  throw unmet(`${event.doing} failed with ${event.code}: ${event.message}`, "the run, or PULSE_BUSY");
}
