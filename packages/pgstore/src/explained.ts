import { isPulseError } from "@pulse-ts/core";
import { refusal } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import { explainPostgres } from "./sqlstate.ts";

/** What the server or the way to it failed at, as an error that says what was being done and what helps. */
export async function explained<Result>(doing: Doing, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const failure = isPulseError(error) ? undefined : explainPostgres(error);
    throw failure === undefined ? error : refusal(doing, failure.found, failure.systemCode, error);
  }
}
