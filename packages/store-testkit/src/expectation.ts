import { isPulseError } from "@pulse-ts/core";
import type { PulseError, PulseErrorCode } from "@pulse-ts/core";

/** What checks throw: what was seen, and what was wanted in its place. Any test runner reports it. */
export function unmet(seen: string, wanted: string): Error {
  return new Error(`seen: ${seen}; wanted: ${wanted}`);
}

/** @throws an Error that says both, unless they are the same value */
export function same(what: string, seen: unknown, wanted: unknown): void {
  if (!Object.is(seen, wanted)) throw unmet(`${what} is ${shown(seen)}`, shown(wanted));
}

/** @throws an Error that says both, unless the lists have the same items in the same order */
export function sameList(what: string, seen: readonly string[], wanted: readonly string[]): void {
  if (seen.length === wanted.length && seen.every((item, at) => item === wanted[at])) return;
  throw unmet(`${what} is ${shown(seen)}`, shown(wanted));
}

/** The refusal of a call that must be refused. @throws an Error that says what came of it, unless it is of this code */
export async function refused<Code extends PulseErrorCode>(
  code: Code,
  doing: string,
  call: () => Promise<unknown>,
): Promise<PulseError<Code>> {
  const error = await errorOf(code, doing, call);
  if (isPulseError(error, code)) return error;
  throw unmet(`${doing}: ${shownError(error)}`, code);
}

/** What a call that must be refused was refused with. @throws an Error when it was not refused */
export async function errorOf(wanted: string, doing: string, call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw unmet(`${doing} succeeded`, wanted);
}

/** An error in one line: its code, and what it says. */
export function shownError(error: unknown): string {
  if (!(error instanceof Error)) return `${shown(error)} was thrown`;
  const { code } = error as { readonly code?: unknown };
  return `${typeof code === "string" ? code : error.name} (${error.message})`;
}

/** A value in one short line. */
export function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes${value.length > 0 ? `, ${hexOf(value)}` : ""}`;
  if (value instanceof Error) return shownError(value);
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0";
  const text = typeof value === "number" ? String(value) : (safeJson(value) ?? String(value));
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, or a toJSON that throws: what a store gave may be anything.
    return Object.prototype.toString.call(value);
  }
}

function hexOf(bytes: Uint8Array): string {
  const begin = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  return bytes.length > 16 ? `${begin}…` : begin;
}

/** Characters of a value that a message shows. */
const shownMax = 200;
