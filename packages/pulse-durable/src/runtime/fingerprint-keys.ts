import type { FingerprintKey } from "@pulse-ts/codec";
import { PulseError } from "@pulse-ts/core";
import { shownRunId } from "../run-id.ts";
import type { CodedKey } from "./values.ts";

/** The id of the key that an encrypting codec makes fingerprints with; `undefined` for its current one (CODEC-19). */
export type KeyIdOf = (codecId: string) => string | undefined;

/** The encrypting codecs behind some keys, each once, in the order of their ids: the order of the header's `keyIds`. */
export function fingerprintKeysOf(keys: Iterable<CodedKey>): readonly FingerprintKey[] {
  const byCodec = new Map<string, FingerprintKey>();
  for (const { codec } of keys) {
    for (const key of codec.fingerprintKeys ?? []) byCodec.set(key.codecId, key);
  }
  return [...byCodec.values()].toSorted((one, other) => (one.codecId < other.codecId ? -1 : 1));
}

/** What the header of a new run keeps (CODEC-19). */
export function currentKeyIds(keys: readonly FingerprintKey[]): readonly string[] {
  return keys.map(({ current }) => current);
}

/**
 * The keys that a run's fingerprints were made with, from what its header keeps: one id for each encrypting codec, in their
 * order. Nothing when they do not fit the codecs at hand: then the definition is another one, and is refused as such.
 */
export function recordedKeyIds(keys: readonly FingerprintKey[], keyIds: readonly string[]): KeyIdOf | undefined {
  if (keyIds.length !== keys.length) return undefined;
  const byCodec = new Map(keys.map(({ codecId }, index) => [codecId, keyIds[index]]));
  return (codecId) => byCodec.get(codecId);
}

/** A key that the record needs is not in the ring at hand: nothing is damaged, and nothing can be told without it. */
export function missingKey(runId: string, { details }: PulseError<"PULSE_CODEC">): PulseError<"PULSE_INCOMPATIBLE"> {
  const { key, keyId, reason } = details;
  const of = key === undefined ? "" : `the value "${key}": `;
  return new PulseError("PULSE_INCOMPATIBLE", `resuming run "${shownRunId(runId)}": ${of}${reason}, and resume`, {
    details: {
      runId,
      next: "same-definition",
      what: "encryption key",
      expected: keyId,
      ...(key === undefined ? undefined : { key }),
    },
  });
}
