import { isPulseError } from "@pulse-ts/core";
import type { StoreAdapter } from "./adapter.ts";
import { refusal } from "./store-errors.ts";
import type { Doing } from "./store-errors.ts";

/** What the medium throws, as an error that says what was being done and what helps. Pulse's own errors pass. */
export async function explained<Result>(
  adapter: Pick<StoreAdapter, "explain">,
  doing: Doing,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw storeError(adapter, doing, error);
  }
}

/** The error of {@link explained}. */
export function storeError({ explain }: Pick<StoreAdapter, "explain">, doing: Doing, error: unknown): unknown {
  if (isPulseError(error) || isAbort(error)) return error;
  const failure =
    explain === undefined ? { found: "the medium failed; look at the cause, mend it, then resume" } : explain(error);
  return failure === undefined ? error : refusal(doing, failure.found, failure.systemCode, error);
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
