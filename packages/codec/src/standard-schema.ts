import type { StandardSchema, ValueOfType } from "@pulse-ts/core";
import { defineCodec, type Codec } from "./codec.ts";
import { refusePromises } from "./forgotten-await.ts";
import { Place, type Step } from "./place.ts";
import { decodeStructured, readingFailed } from "./structured.ts";
import { writeStructured } from "./structured-write.ts";
import { survey } from "./survey.ts";
import { toUtf8 } from "./utf8.ts";

/** The version of the format in which automatic codecs write values under schemas of other vendors. */
export const standardVersion = "1";

/** A Standard Schema, whatever it takes. */
type AnySchema = StandardSchema<never, unknown> | StandardSchema;

/**
 * A Standard Schema of another vendor than zod as a codec (CODEC-16): `structured()` writes the values, the schema validates them when they are written
 * and when they are read. The id names the vendor only: nothing in the standard tells what a schema demands, so a changed schema is not noticed at resume;
 * values that it no longer takes are refused when they are read.
 *
 * The schema must take its own output as it is. One that transforms is refused at the first value that it would change twice.
 * @throws PULSE_CODEC by key and path for values that the schema refuses, and for schemas that answer with a promise.
 */
export function standardCodec<Schema extends AnySchema>(schema: Schema): Codec<ValueOfType<Schema>> {
  return defineCodec<Schema, ValueOfType<Schema>>({
    type: schema,
    id: `standard:${schema["~standard"].vendor}`,
    version: standardVersion,
    encode: (value, at) => {
      const place = new Place("encode", at.key);
      try {
        place.refusePromise(value);
        survey(value, undefined, place);
        const written = writeStructured(validate(schema, value, place), place);
        proveStable(schema, written, "encode", at.key);
        return toUtf8(written, place);
      } catch (error) {
        throw readingFailed(error, place);
      }
    },
    decode: (bytes, at) => {
      const value = decodeStructured(bytes, at.key);
      const place = new Place("decode", at.key);
      proveStable(schema, writeStructured(value, place), "decode", at.key);
      // The cast holds since the schema has just taken the value and left it as it is.
      return value as ValueOfType<Schema>;
    },
    ownMemory: true,
  });
}

/** Refuses a schema that changes its own output: what is stored would be another value each time it is read. */
function proveStable(schema: AnySchema, written: string, action: "encode" | "decode", key: string | undefined): void {
  const place = new Place(action, key);
  const value = decodeStructured(toUtf8(written, place), key);
  if (writeStructured(validate(schema, value, place), new Place(action, key)) !== written) {
    place.refuse(
      "the schema changes its own output, so a stored value would change when it is read; register a codec for this schema",
    );
  }
}

function validate(schema: AnySchema, value: unknown, place: Place): unknown {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    // Its outcome is of no use; a rejection must not go unhandled.
    result.catch(() => undefined);
    place.refuse("the schema is async here (it returns a promise); codecs are synchronous");
  }
  if (result.issues !== undefined) {
    const issue = result.issues[0];
    refusePromises(
      value,
      result.issues.map((one) => (one.path ?? []).map(keyOf)),
      place,
    );
    place.refuseInside(
      (issue?.path ?? []).map(stepOf),
      `the schema refuses it: ${issue?.message ?? "no reason given"}`,
      { cause: result.issues },
    );
  }
  return result.value;
}

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment;

function stepOf(segment: PropertyKey | { readonly key: PropertyKey }): Step {
  const step = keyOf(segment);
  return typeof step === "symbol" ? String(step) : step;
}
