import type { GivenOfType, KeyType, ValueOfType } from "./type.ts";

declare const value: unique symbol;
declare const given: unique symbol;

/**
 * A named, typed slot that a graph fills at most once per execution (CORE-1).
 * `Value` is what bodies see; `Given` what a host passes for it as a root input.
 */
export interface Key<Name extends string = string, Value = unknown, Given = Value> {
  readonly kind: "key";
  readonly name: Name;
  readonly type: KeyType;
  readonly [value]?: Value;
  readonly [given]?: Given;
}

/** Any plain key. */
export type AnyKey = Key<string, unknown, unknown>;

/** In `requires`: reads as absent instead of passing the skip on (CORE-7). In `inputs`: may be left out (CORE-41). */
export interface OptionalKey<Name extends string = string, Value = unknown, Given = Value> {
  readonly kind: "optional";
  readonly key: Key<Name, Value, Given>;
}

export type AnyOptionalKey = OptionalKey<string, unknown, unknown>;

/**
 * A key: `key("url", z.url())` or `key("user", type<User>())`. Two key objects of one name
 * cannot stand in one graph (CORE-1), so make each once and import it.
 */
export function key<const Name extends string, const Type extends KeyType>(
  name: Name,
  keyType: Type,
): Key<Name, ValueOfType<Type>, GivenOfType<Type>> {
  return Object.freeze({ kind: "key", name, type: keyType });
}

/** Marks a key as optional where it is required (CORE-7), or where it is an input of a graph (CORE-41). */
export function optional<Name extends string, Value, Given>(
  wrapped: Key<Name, Value, Given>,
): OptionalKey<Name, Value, Given> {
  return Object.freeze({ kind: "optional", key: wrapped });
}
