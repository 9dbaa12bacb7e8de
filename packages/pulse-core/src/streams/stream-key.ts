import { invalid } from "../invalid.ts";
import type { given, plain, value } from "../key.ts";
import { countProblem, unknownProblems } from "../option-check.ts";
import type { StreamKind } from "../run/stream-driver.ts";
import type { KeyType, ValueOfType } from "../type.ts";
import { groupProblem, isWellFormed } from "./group-name.ts";
import { streamKind } from "./stream-kind.ts";
import type { StreamReader } from "./reader.ts";

/** What makes a key a stream's. The behaviour comes in with it: a graph without streams carries none (CORE-39). */
export interface StreamDeclaration<Position = unknown> {
  /** How many messages the slowest group may leave unacknowledged before the writer waits (STR-3). */
  readonly capacity: number;
  /** The type of the writer's positions, if one was given. */
  readonly position: KeyType<Position, unknown> | undefined;
  readonly kind: StreamKind;
}

/** A key that holds a channel of messages (STR-1). Bodies that require it get a {@link StreamReader}. */
export interface StreamKey<Name extends string = string, Element = unknown, Position = unknown> {
  readonly kind: "key";
  readonly name: Name;
  /** The type of one message. */
  readonly type: KeyType<Element, unknown>;
  readonly stream: StreamDeclaration<Position>;
  readonly [value]: StreamReader<Element>;
  /** No host gives a stream: a node writes it. */
  readonly [given]: never;
  readonly [plain]: never;
}

export interface StreamOptions<PositionType extends KeyType> {
  /**
   * A positive integer. Bigger: the writer runs further ahead and more messages wait in memory. Choose at least as many as a
   * reader holds unacknowledged at once: one that wants more waits for ever (STR-42).
   */
  readonly capacity: number;
  /** What `sendAt` takes and `position` gives; for types alone. Default: `unknown`. */
  readonly position?: PositionType;
}

/**
 * A stream key: `stream("article", z.object({ … }), { capacity: 64 })`. One node provides it and opens it by `context.open`;
 * each node that requires it reads every message (STR-1, STR-5).
 * @throws PULSE_INVALID for a capacity that is no positive integer, a name that is no text, and options that nobody knows
 */
export function stream<const Name extends string, const Type extends KeyType, PositionType extends KeyType = KeyType>(
  name: Name,
  elementType: Type,
  options: StreamOptions<PositionType>,
): StreamKey<Name, ValueOfType<Type>, ValueOfType<PositionType>> {
  const { capacity, position } = options ?? {};
  const messages = [
    ...unknownProblems(options ?? {}, ["capacity", "position"]),
    countProblem("capacity", capacity),
    Number.isInteger(capacity) && !Number.isSafeInteger(capacity)
      ? `capacity is ${capacity}; give at most 2^53 - 1`
      : undefined,
    typeof name === "string" && !isWellFormed(name) ? "its name has half of a surrogate pair; give a text" : undefined,
  ].filter((message) => message !== undefined);
  const problems = messages.map((message) => ({ code: "PULSE_OPTION_INVALID" as const, path: String(name), message }));
  if (problems.length > 0) throw invalid(`stream "${String(name)}"`, problems);
  // The cast adds what only types hold: the types of messages, positions and readers.
  return Object.freeze({
    kind: "key",
    name,
    type: elementType,
    stream: Object.freeze({ capacity, position, kind: streamKind }),
  }) as never;
}

/** A stream in `requires` under a group that the reader names (STR-5). Made by {@link reading}. */
export interface Reading<Name extends string = string, Element = unknown> {
  readonly kind: "reading";
  readonly name: Name;
  readonly key: StreamKey<Name, Element>;
  readonly group: string;
  readonly [value]: StreamReader<Element>;
  readonly [given]: never;
}

/**
 * Puts a reader into a group that it names: `requires: [reading(article, { group: "workers" })]`. Readers that name the same
 * group of a stream share its messages; without a name each is a group of its own (STR-5).
 * @throws PULSE_INVALID for a name that is empty or holds "/", which stands in the names that readers have by themselves
 */
export function reading<Name extends string, Element>(
  key: StreamKey<Name, Element>,
  options: { readonly group: string },
): Reading<Name, Element> {
  const problem = groupProblem(options?.group);
  if (problem !== undefined)
    throw invalid(`a reader of stream "${key?.name}"`, [
      { code: "PULSE_NAME_INVALID", path: String(key?.name), message: problem },
    ]);
  // The cast adds what only types hold.
  return Object.freeze({ kind: "reading", name: key.name, key, group: options.group }) as never;
}
