import type { FingerprintKey } from "@pulse-ts/codec";
import { PulseError } from "@pulse-ts/core";
import type { Header } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { CodedKey } from "./values.ts";

/** The id of the key that an encrypting codec makes fingerprints with; `undefined` for its current one (CODEC-19). */
export type KeyIdOf = (codecId: string) => string | undefined;

/** The encrypting codecs behind some keys, each once, by its id. */
export function fingerprintKeysOf(keys: Iterable<CodedKey>): readonly FingerprintKey[] {
  const byCodec = new Map<string, FingerprintKey>();
  for (const { codec } of keys) {
    for (const key of codec.fingerprintKeys ?? []) byCodec.set(key.codecId, key);
  }
  return [...byCodec.values()].toSorted((one, other) => (one.codecId < other.codecId ? -1 : 1));
}

/** What the header of a new run keeps: nothing when nothing that has a fingerprint is encrypted (CODEC-19). */
export function keysForHeader(keys: readonly FingerprintKey[]): Pick<Header, "keyIds" | "codecKeys"> {
  if (keys.length === 0) return {};
  return {
    keyIds: [...new Set(keys.map(({ current }) => current))].sort(),
    codecKeys: Object.fromEntries(keys.map(({ codecId, current }) => [codecId, current])),
  };
}

/**
 * The keys that a run's fingerprints were made with. Of a codec that the header does not name nothing is known: then the
 * definition is another one, and is refused as such.
 */
export function keysInHeader(header: Header): KeyIdOf {
  // Not checked yet: a record may hold anything there.
  const { keyIds, codecKeys }: { readonly keyIds?: unknown; readonly codecKeys?: unknown } = header;
  const only: unknown = Array.isArray(keyIds) && keyIds.length === 1 ? keyIds[0] : undefined;
  return (codecId) => {
    const named = typeof codecKeys === "object" && codecKeys !== null && Object.hasOwn(codecKeys, codecId);
    const keyId: unknown = codecKeys === undefined ? only : named ? Reflect.get(codecKeys, codecId) : undefined;
    return typeof keyId === "string" ? keyId : undefined;
  };
}

/** The keys that the fingerprint of a root input is made with: those that the record names. None when it is not encrypted. */
export function keyIdsOfInput(key: CodedKey | undefined, header: Header): readonly string[] {
  const keyIdOf = keysInHeader(header);
  return (key?.codec.fingerprintKeys ?? []).map(({ codecId, current }) => keyIdOf(codecId) ?? current);
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
