import { steps } from "./steps.ts";

/** Every point at which {@link pgStoreAt} calls: each statement, before it is sent and after its answer came. */
export const pgFaultPoints: readonly string[] = steps.flatMap((step) => [`${step} before`, `${step} after`]);
