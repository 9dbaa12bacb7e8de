import type { HandledMessage, PreparedMessage, StreamPart } from "@pulse-ts/core/checkpoint";
import type { ReadyBytes, ReadyValue, SkippedValue } from "../record/format.ts";
import type { CodedKeys } from "./coded-keys.ts";
import { headOf } from "./values.ts";
import type { CodedKey, Values } from "./values.ts";

/** A part of a stream between its encoding and its confirmation. */
export interface EncodedPart {
  readonly key: CodedKey;
  readonly record: ReadyBytes;
  /** For runs that do not isolate their readers (CODEC-9). */
  readonly written: unknown;
}

/** Encodes one part before anything can change it (CKPT-28). @throws PULSE_CODEC, which is the sender's own failure */
export function encodePart(part: StreamPart, keys: CodedKeys, values: Values): EncodedPart {
  const { value } = part;
  const key = codedPart(part, keys);
  const record = values.encode(key, value);
  const name = recordedName(part);
  return { key, record: record.name === name ? record : { ...record, name }, written: value };
}

/** A state has no name in the record (REC-13), a position that of its stream's key. */
const recordedName = (part: StreamPart): string => (part.kind === "state" ? "" : part.key.name);

function codedPart(part: StreamPart, keys: CodedKeys): CodedKey {
  if (part.kind === "state") return keys.state(part.type);
  return part.kind === "position" ? keys.position(part.key) : keys.key(part.key);
}

/** What {@link encodePart} made: core hands back what `prepare` gave it. */
export const encodedPart = (prepared: unknown): EncodedPart => prepared as EncodedPart;

/** A message as it is recorded, with the position that goes with it. */
export function messageRecord({ value, position }: PreparedMessage): { value: ReadyValue; cursor?: ReadyValue } {
  const { record } = encodedPart(value);
  return position === undefined ? { value: record } : { value: record, cursor: encodedPart(position.value).record };
}

/** The plain values of a handler, as they are recorded. */
export function valueRecords(values: HandledMessage["values"], keys: CodedKeys): (ReadyValue | SkippedValue)[] {
  return values.map((value) =>
    value.state === "ready" ? encodedPart(value.value).record : { ...headOf(keys.key(value.key)), state: "skipped" },
  );
}
