/** What a key is made with: a Standard Schema of any vendor, or a plain type token (CORE-2). */

/** What a Standard Schema's `validate` answers. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The Standard Schema interface, version 1, which zod, valibot, arktype and others implement. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

declare const carried: unique symbol;
declare const carriedGiven: unique symbol;

/** A type without a check: only TypeScript knows it. Made by {@link type}. */
export interface TypeToken<Value, Given = Value> {
  readonly kind: "type";
  /** For messages and drawings; `"unknown"` if none was given. */
  readonly name: string;
  readonly [carried]?: Value;
  /** Another one than `Value` only where a key's `type` stands for a schema or a token: {@link KeyType}. */
  readonly [carriedGiven]?: Given;
}

/** What the second argument of `key` may be; of a key of `Value` and `Given` it is what `key.type` gives (CORE-2). */
export type KeyType<Value = unknown, Given = Value> = StandardSchema<Given, Value> | TypeToken<Value, Given>;

/** What bodies read and write under a key of this type. */
export type ValueOfType<Type> =
  Type extends TypeToken<infer Value, unknown>
    ? Value
    : Type extends { readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined } }
      ? Output
      : unknown;

/** What a host gives for an input of this type: the schema's own input (CORE-28). */
export type GivenOfType<Type> =
  Type extends TypeToken<unknown, infer Given>
    ? Given
    : Type extends { readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined } }
      ? Input
      : unknown;

/**
 * A type token: `key("user", type<User>())`. Nothing is checked at run time.
 * The same token object may serve several keys; a codec is found by its identity (CODEC-2).
 */
export function type<Value>(name = "unknown"): TypeToken<Value> {
  return Object.freeze({ kind: "type", name }) as TypeToken<Value>;
}

/** True for a Standard Schema (arktype's are functions). Never throws. */
export function isStandardSchema(candidate: unknown): candidate is StandardSchema {
  return (
    (typeof candidate === "object" || typeof candidate === "function") && candidate !== null && "~standard" in candidate
  );
}
