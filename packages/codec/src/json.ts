import type { PulseError } from "@pulse-ts/core";
import * as z from "zod/v4/core";
import { defineCodec, type Codec, type FingerprintContext } from "./codec.ts";
import { codecError, keptBack } from "./errors.ts";
import { sha256Hex } from "./fingerprint.ts";
import { refusePromises } from "./forgotten-await.ts";
import { checkOptionNames } from "./options.ts";
import { fingerprintParts, RememberedParts } from "./parts.ts";
import { Place, type Step } from "./place.ts";
import { planSchema, type FindCodec, type SchemaPlan } from "./plan-schema.ts";
import { readingFailed } from "./structured.ts";
import { survey } from "./survey.ts";
import { fromUtf8, toUtf8 } from "./utf8.ts";
import { readWire } from "./wire-read.ts";
import { writeWire } from "./wire-write.ts";
import { isImmutableSchema } from "./immutable-schema.ts";
import { stepsInClear } from "./wire-plan.ts";

export interface JsonOptions {
  /** Names the format in the run record; not empty, and another one for each schema (CODEC-2). */
  readonly id: string;
  /** Change it when the schema changes so that old values no longer fit. */
  readonly version: string;
}

/**
 * A zod schema as a codec: canonical JSON (CODEC-4, CODEC-8), with dates, bigints, Maps, Sets, `undefined` and whatever stands under
 * `any` or `unknown` written inside it by `structured()` (CODEC-5).
 *
 * Encoding runs the schema first, so what a stripping schema does not know is dropped there (CODEC-14); zod's two-way codecs are run backward.
 * Decoding refuses what encoding could not have written, then runs the schema forward.
 * @throws PULSE_CODEC at once, by path, when the schema has no way back (CODEC-15); later by key and path for values that do not fit,
 * for async refinements, and beyond the limits (CODEC-12).
 */
export function json<Schema extends z.$ZodType>(schema: Schema, options: JsonOptions): Codec<z.output<Schema>> {
  if (!isZodSchema(schema)) {
    throw codecError({ action: "prepare", key: undefined, path: "", reason: "json() takes a schema of zod 4" });
  }
  checkOptionNames<JsonOptions>("json()", options, { id: true, version: true });
  return zodCodec(schema, { ...options, key: undefined, findCodec: () => undefined });
}

/** True for a schema of zod 4 or zod mini; one of zod 3 is a Standard Schema like any other. */
export function isZodSchema(candidate: unknown): candidate is z.$ZodType {
  if ((typeof candidate !== "object" && typeof candidate !== "function") || candidate === null) return false;
  const internals = (candidate as { readonly _zod?: { readonly def?: { readonly type?: unknown } } })._zod;
  return typeof internals === "object" && typeof internals.def?.type === "string";
}

export interface ZodCodecOptions extends JsonOptions {
  /** The key the codec is made for, where there is one. */
  readonly key: string | undefined;
  readonly findCodec: FindCodec;
}

/** The codec of a zod schema; see {@link json}. */
export function zodCodec<Schema extends z.$ZodType>(schema: Schema, options: ZodCodecOptions): Codec<z.output<Schema>> {
  const plan = planSchema(schema, options.key, options.findCodec);
  return defineCodec<Schema, z.output<Schema>>({
    type: schema,
    id: options.id,
    version: options.version,
    immutable: isImmutableSchema(schema),
    ownMemory: true,
    fingerprintKeys: plan.fingerprintKeys,
    ...(plan.varies
      ? {
          fingerprint: (value: z.output<Schema>, at: FingerprintContext) =>
            sha256Hex(textOf(schema, plan, value, new Place("encode", at.key, fingerprintParts(at)))),
        }
      : undefined),
    encode: (value, at) => {
      const bytes = encode(schema, plan, value, at.key);
      // The user's own code decides the bytes: prove now, while the value is there, that they can be read.
      if (plan.custom) proveReadable(schema, plan, bytes, at.key);
      return bytes;
    },
    decode: (bytes, at) => decode(schema, plan, bytes, at.key),
  });
}

function encode(schema: z.$ZodType, plan: SchemaPlan, value: unknown, key: string | undefined): Uint8Array {
  const place = new Place("encode", key);
  return toUtf8(textOf(schema, plan, value, place), place);
}

function textOf(schema: z.$ZodType, plan: SchemaPlan, value: unknown, place: Place): string {
  try {
    return encodeText(schema, plan, value, place);
  } catch (error) {
    throw failed(error, plan, place);
  }
}

function encodeText(schema: z.$ZodType, plan: SchemaPlan, value: unknown, place: Place): string {
  survey(value, plan.wire, place);
  const result = z.safeEncode(schema, value);
  if (!result.success) {
    const inClear = (path: readonly Step[]): readonly Step[] =>
      plan.fingerprintKeys.length > 0 ? stepsInClear(plan.wire, path) : path;
    refusePromises(value, pathsOf(result.error.issues), place, inClear);
    return refuseIssues(result.error, plan, place);
  }
  return writeWire(plan.wire, result.data, place);
}

/** Where the issues are, those of each option of a union too. */
function pathsOf(issues: readonly z.$ZodIssue[], before: readonly PropertyKey[] = []): PropertyKey[][] {
  return issues.flatMap((issue) => {
    const path = [...before, ...issue.path];
    return issue.code === "invalid_union" ? [path, ...issue.errors.flatMap((option) => pathsOf(option, path))] : [path];
  });
}

function decode<Schema extends z.$ZodType>(
  schema: Schema,
  plan: SchemaPlan,
  bytes: Uint8Array,
  key: string | undefined,
): z.output<Schema> {
  const parts = new RememberedParts();
  const place = new Place("decode", key, parts);
  const again = (): Place => new Place("decode", key, parts);
  try {
    const text = fromUtf8(bytes, place);
    const wire = readWire(plan.wire, JSON.parse(text), place);
    if (writeWire(plan.wire, wire, again()) !== text) refuseForeign(place);
    const result = z.safeDecode(schema, wire as z.input<Schema>);
    if (!result.success) return refuseIssues(result.error, plan, place);
    if (plan.indirect && encodeText(schema, plan, result.data, again()) !== text) refuseForeign(place);
    return result.data;
  } catch (error) {
    throw failed(error, plan, place);
  }
}

function refuseForeign(place: Place): never {
  place.refuse(
    "encoding could not have written these bytes: another text stands for the same value, or the schema would drop a part",
  );
}

function proveReadable(schema: z.$ZodType, plan: SchemaPlan, bytes: Uint8Array, key: string | undefined): void {
  try {
    decode(schema, plan, bytes, key);
  } catch (cause) {
    const reason =
      "what the schema's own codec writes cannot be read back: decoding and encoding it must undo each other";
    const refusal = { action: "encode", key, path: "", reason } as const;
    throw plan.fingerprintKeys.length > 0 ? keptBack(cause, refusal) : codecError({ ...refusal, cause });
  }
}

function refuseIssues(error: z.$ZodError, plan: SchemaPlan, place: Place): never {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map((step): Step => (typeof step === "symbol" ? String(step) : step));
  const steps = plan.fingerprintKeys.length > 0 ? stepsInClear(plan.wire, path) : path;
  const others = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  return place.refuseInside(steps, `the schema refuses it: ${issue?.message ?? "no reason given"}${others}`, {
    cause: error,
  });
}

/** As the schema or a part of it said it, but where a part is encrypted without words that could show it (CODEC-11). */
function failed(error: unknown, plan: SchemaPlan, place: Place): Error {
  const told = schemaFailed(error, place);
  if (plan.fingerprintKeys.length === 0) return told;
  const { action, key } = place;
  const reason =
    "it does not fit its schema; what the schema says is kept back, since a part of the value is encrypted";
  return keptBack(told, { action, key, path: told.details.path, reason });
}

function schemaFailed(error: unknown, place: Place): PulseError<"PULSE_CODEC"> {
  if (error instanceof z.$ZodAsyncError) {
    const reason = "the schema is async here (a refinement or a codec that returns a promise); codecs are synchronous";
    return codecError({ action: place.action, key: place.key, path: "", reason, cause: error, tellsNothing: true });
  }
  return readingFailed(error, place);
}
