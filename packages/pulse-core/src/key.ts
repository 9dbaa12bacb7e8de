import type { StreamDeclaration, StreamKey } from "./streams/stream-key.ts";
import type { StreamReader } from "./streams/reader.ts";
import type { GivenOfType, KeyType, ValueOfType } from "./type.ts";

/** The place in a key's type that holds what bodies see of it. There is nothing there at run time. */
export declare const value: unique symbol;
/** The place in a key's type that holds what a host gives for it. There is nothing there at run time. */
export declare const given: unique symbol;
/** The place in a key's type that holds its name if it is plain, and `never` for a stream. There is nothing there at run time. */
export declare const plain: unique symbol;

/**
 * A named, typed slot that a graph fills at most once per execution (CORE-1).
 * `Value` is what bodies see; `Given` what a host passes for it as a root input.
 */
export interface Key<Name extends string = string, Value = unknown, Given = Value> {
  readonly kind: "key";
  readonly name: Name;
  /** What the key was made with: `key("other", this.type)` is a key of the same types (CORE-2). */
  readonly type: KeyType<Value, Given>;
  /** There for a stream key alone (STR-1). */
  readonly stream?: StreamDeclaration | undefined;
  readonly [value]: Value;
  readonly [given]: Given;
  readonly [plain]: Name;
}

/** Any key, a stream's too. */
export type AnyKey = Key<string, unknown, unknown>;

/** In `requires`: reads as absent instead of passing the skip on (CORE-7). In `inputs`: may be left out (CORE-41). */
export interface OptionalKey<Name extends string = string, Value = unknown, Given = Value> {
  readonly kind: "optional";
  readonly name: Name;
  readonly key: Key<Name, Value, Given>;
  readonly [value]: Value | undefined;
  readonly [given]: Given;
}

export type AnyOptionalKey = OptionalKey<string, unknown, unknown>;

/** A key without what only types hold. */
type Plain<Entry> = Omit<Entry, typeof value | typeof given | typeof plain>;

/**
 * A key: `key("url", z.url())` or `key("user", type<User>())`. Two key objects of one name
 * cannot stand in one graph (CORE-1), so make each once and import it.
 */
export function key<const Name extends string, const Type extends KeyType>(
  name: Name,
  keyType: Type,
): Key<Name, ValueOfType<Type>, GivenOfType<Type>> {
  // The cast adds what only types hold: the value's and the host's type. It is read by `typeof value`, never by code.
  const made: Plain<Key<Name>> = { kind: "key", name, type: keyType };
  return Object.freeze(made) as Key<Name, ValueOfType<Type>, GivenOfType<Type>>;
}

/** Marks a key as optional where it is required (CORE-7), or where it is an input of a graph (CORE-41). */
export function optional<Name extends string, Value, Given>(
  wrapped: Key<Name, Value, Given>,
): OptionalKey<Name, Value, Given>;
export function optional<Name extends string, Element>(
  wrapped: StreamKey<Name, Element>,
): OptionalKey<Name, StreamReader<Element>, never>;
export function optional<Name extends string, Value, Given>(
  wrapped: Key<Name, Value, Given>,
): OptionalKey<Name, Value, Given> {
  // The cast adds what only types hold, as in `key`.
  // JavaScript users may wrap nothing, as circular imports leave it: the check of the graph reports it (CORE-26).
  const name = (wrapped as typeof wrapped | undefined)?.name as Name;
  const made: Plain<OptionalKey<Name, Value, Given>> = { kind: "optional", name, key: wrapped };
  return Object.freeze(made) as OptionalKey<Name, Value, Given>;
}
