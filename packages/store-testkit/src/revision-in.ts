import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";

/** The revision of what a session loads; 0 when there is nothing yet. */
export async function revisionIn(session: Session): Promise<number> {
  try {
    return (await session.load()).header.revision;
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return 0;
    throw error;
  }
}
