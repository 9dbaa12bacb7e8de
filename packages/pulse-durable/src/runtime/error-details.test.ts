import { isPulseError } from "@pulse-ts/core";
import type { PulseErrorCode } from "@pulse-ts/core";
import { expect, test } from "vitest";
import type { NextStep } from "../errors.ts";
import { memoryStore } from "../memory-store.ts";
import { situations } from "../testing/error-situations.ts";

test.each(Object.entries(situations))(
  "DUR-12 %s: the error names the run and what is next",
  async (_name, situation) => {
    const memory = memoryStore();
    await situation.given?.(memory);
    const error = await situation.rejects(memory).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!isPulseError(error)) throw error;
    const { code, next, cause } = situation;
    expect({ code: error.code, ...error.details }).toMatchObject({ code, next });
    expect((error.details as { readonly runId?: unknown }).runId).toBe(
      error.message.includes("run id is empty") ? "" : "run",
    );
    if (cause !== undefined) expect(isPulseError(error.cause, cause)).toBe(true);
  },
);

/** Every code that a call of durable may reject with, and every step that it may name. */
test("DUR-12 the situations cover every code and every next step", () => {
  const codes: readonly PulseErrorCode[] = [
    "PULSE_INVALID",
    "PULSE_USAGE",
    "PULSE_CODEC",
    "PULSE_BUSY",
    "PULSE_NOT_FOUND",
    "PULSE_CONFLICT",
    "PULSE_INCOMPATIBLE",
    "PULSE_CORRUPT",
    "PULSE_OWNERSHIP_LOST",
    "PULSE_NEWER_FORMAT",
    "PULSE_RESUME_LIMIT",
    "PULSE_STORE",
    "PULSE_CHECKPOINT",
    "PULSE_RUN_FAILED",
    "PULSE_INTERRUPTED",
  ];
  const steps: Readonly<Record<NextStep, true>> = {
    later: true,
    start: true,
    resume: true,
    "new-run-id": true,
    "same-definition": true,
    "raise-max-resumes": true,
    "newer-package": true,
    "mend-store": true,
    "restore-backup": true,
  };
  const all = Object.values(situations);
  expect(new Set(all.map(({ code }) => code))).toEqual(new Set(codes));
  expect(new Set(all.map(({ next }) => next))).toEqual(new Set(Object.keys(steps)));
});
