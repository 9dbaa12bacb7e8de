import type { Codec, FingerprintContext } from "@pulse-ts/codec";
import { canonicalJson, sha256Hex } from "@pulse-ts/codec";
import { isPulseError, PulseError } from "@pulse-ts/core";
import type { ReadValue } from "@pulse-ts/core/checkpoint";
import type { ReadyBytes, ReadyValue, ValueRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import { missingKey } from "./fingerprint-keys.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";

/** A key's name and its codec. */
export interface CodedKey {
  readonly name: string;
  readonly codec: Codec;
}

/** Where a recorded value stands, and what it may be read with. */
export interface ReadingPlace {
  /** For the error when it cannot be decoded: the entry key and the field. */
  readonly where: string;
}

/** Turns the values of one run into records and back (CODEC-13). */
export interface Values {
  /** Encodes now, and keeps no reference to the value (CKPT-28). @throws PULSE_CODEC */
  encode(key: CodedKey, value: unknown): ReadyBytes;
  /** What a reader reads, for another key: the same bytes where the codecs agree, else encoded anew (CODEC-18). @throws PULSE_CODEC */
  pass(read: ReadValue, key: CodedKey): ReadyValue;
  /**
   * Decodes at each call, or once for values that cannot change (CODEC-9). The reader throws PULSE_CORRUPT and stops the
   * run (REC-9), or PULSE_INCOMPATIBLE for a lost key. `written` reads the object that was written; it is kept only where
   * readers are not isolated.
   */
  reader(record: ReadyValue, key: CodedKey, place: ReadingPlace, written?: ReadValue): ReadValue;
  /** As `reader`, but decodes at each call whatever the run isolates: what is read is the caller's own (STR-18). */
  fresh(record: ReadyValue, key: CodedKey, place: ReadingPlace): ReadValue;
  /** Has the bytes of values that rest in the store's content store at hand: readers are synchronous (STORE-10). */
  fetch(records: Iterable<ValueRecord>): Promise<void>;
  /**
   * Decodes values once and keeps nothing of them (REC-9). Those that rest in the content store name the same content, which
   * is fetched once. @throws as `reader` does
   */
  verify(values: readonly RecordedValue[]): Promise<void>;
}

/** A recorded value and what it is read with. */
export interface RecordedValue {
  readonly record: ReadyValue;
  readonly key: CodedKey;
  readonly place: ReadingPlace;
}

/** What the values of a run are made of. */
export interface ValuesParts {
  readonly runId: string;
  /** False: readers share the written object (CODEC-9). */
  readonly isolate: boolean;
  /** A confirmed value cannot be read: the run must stop, whatever catches the error (REC-9). */
  readonly corrupt: (error: PulseError) => void;
  readonly content?: (digest: string) => Promise<Uint8Array>;
}

/** What a reader reads. On the reader itself: a weak map of as many as a run has values would burden each collection. */
const recorded = Symbol("recorded value");
interface RecordedRead extends ReadValue {
  [recorded]?: RecordedValue;
}

/** How many contents are fetched at once. */
const fetchesMax = 16;

export function runValues({ runId, isolate, corrupt, content }: ValuesParts): Values {
  const fetched = new Map<string, Uint8Array>();

  const bytesOf = (record: ReadyValue, place: ReadingPlace): Uint8Array => {
    if ("bytes" in record) return record.bytes;
    const bytes = fetched.get(record.content.digest);
    if (bytes === undefined) throw stop(record, place, new Error("its content was not fetched"));
    return bytes;
  };
  const decode = ({ record, key, place }: RecordedValue, confirmed: Uint8Array = bytesOf(record, place)): unknown => {
    if ("content" in record && record.content.size !== confirmed.length) {
      const sizes = `its content has ${confirmed.length} bytes, not ${record.content.size}`;
      throw stop(record, place, new Error(sizes));
    }
    // A codec may hand out the very bytes that it was given: what a reader changes must not be what is confirmed
    // (CODEC-9). Nor does it see the memory around them, which a store that reads many values at once gives with them.
    const { codec } = key;
    const apart = confirmed.length === confirmed.buffer.byteLength;
    const asItIs = codec.ownMemory === true || (codec.immutable === true && apart);
    try {
      return codec.decode(asItIs ? confirmed : new Uint8Array(confirmed), { key: key.name });
    } catch (error) {
      throw stop(record, place, error);
    }
  };
  const stop = (record: ReadyValue, { where }: ReadingPlace, cause: unknown): PulseError => {
    if (isPulseError(cause, "PULSE_CODEC") && cause.details.keyMissing === true) {
      const missing = missingKey(runId, cause);
      corrupt(missing);
      return missing;
    }
    const keyId = isPulseError(cause, "PULSE_CODEC") ? cause.details.keyId : undefined;
    // Another key looks like damage, and is far more often what is wrong.
    const key = keyId === undefined ? "" : `give the key ring the bytes that the key "${keyId}" had then; or `;
    const error = new PulseError(
      "PULSE_CORRUPT",
      `run "${shownRunId(runId)}": the confirmed value "${record.name}" (${where}) cannot be read: ${messageOf(cause)}; ${key}restore the run from a backup, or give the codec "${record.codec}" that wrote it`,
      { details: { runId, next: "restore-backup", where }, cause },
    );
    corrupt(error);
    return error;
  };
  const encode = (key: CodedKey, value: unknown): ReadyBytes => {
    const { name, codec } = key;
    const encoded = codec.encode(value, { key: name });
    // A copy: a codec may give the value itself, or one buffer again and again, and the save waits its turn (CKPT-28).
    const bytes = codec.ownMemory === true ? encoded : new Uint8Array(encoded);
    return { name, codec: codec.id, codecVersion: codec.version, state: "ready", digest: sha256Hex(bytes), bytes };
  };

  return {
    encode,
    pass(read, key) {
      const known = (read as RecordedRead)[recorded];
      if (known === undefined || !sameFormat(known.key.codec, key.codec)) return encode(key, read());
      return { ...known.record, ...headOf(key) };
    },
    reader(record, key, place, written) {
      const value: RecordedValue = { record, key, place };
      let read: RecordedRead;
      if (!isolate && written !== undefined) read = written.bind(undefined);
      else if (!isolate || key.codec.immutable === true) read = once(() => decode(value));
      else read = () => decode(value);
      read[recorded] = value;
      return read;
    },
    fresh: (record, key, place) => () => decode({ record, key, place }),
    async fetch(records) {
      const missing = new Set<string>();
      for (const record of records) {
        if ("content" in record && !fetched.has(record.content.digest)) missing.add(record.content.digest);
      }
      const digests = [...missing];
      for (let at = 0; at < digests.length; at += fetchesMax) {
        await Promise.all(digests.slice(at, at + fetchesMax).map(fetchOne));
      }
    },
    async verify(list) {
      const [first] = list;
      const resting = first !== undefined && "content" in first.record;
      const bytes = resting ? await contentOf(first.record.content.digest) : undefined;
      for (const value of list) decode(value, bytes);
    },
  };

  async function fetchOne(digest: string): Promise<void> {
    fetched.set(digest, await contentOf(digest));
  }

  async function contentOf(digest: string): Promise<Uint8Array> {
    if (content === undefined) throw noContents(runId, digest);
    return await content(digest);
  }
}

/** A record that names a content, loaded by a store that has none. */
export function noContents(runId: string, digest: string): PulseError<"PULSE_CORRUPT"> {
  const where = `content ${digest}`;
  const message = `run "${shownRunId(runId)}" names the ${where}, but its store keeps no contents; give the store that wrote it`;
  return new PulseError("PULSE_CORRUPT", message, { details: { runId, next: "restore-backup", where } });
}

/** What the fingerprints of encrypted values are made with (CODEC-19). */
export interface KeyedBy {
  readonly keyIdOf: KeyIdOf | undefined;
  /** Whose value it is: equal values elsewhere have other fingerprints. */
  readonly salt: readonly string[];
}

/** The fingerprint of a value that was just encoded: its digest, unless the codec makes one of its own (CODEC-1). */
export function fingerprintOfValue(key: CodedKey, value: unknown, { digest }: ReadyBytes, by: KeyedBy): string {
  const { name, codec } = key;
  return codec.fingerprintsBytes === true ? digest : codec.fingerprint(value, fingerprintContext(name, by));
}

export function fingerprintContext(key: string, { keyIdOf, salt }: KeyedBy): FingerprintContext {
  return { key, salt: canonicalJson(salt), ...(keyIdOf === undefined ? undefined : { keyIdOf }) };
}

/** The fields of a value record that come from its key. */
export function headOf({ name, codec }: CodedKey): { name: string; codec: string; codecVersion: string } {
  return { name, codec: codec.id, codecVersion: codec.version };
}

function sameFormat(one: Codec, other: Codec): boolean {
  return one.id === other.id && one.version === other.version;
}

function once(read: ReadValue): ReadValue {
  let kept: { readonly value: unknown } | undefined;
  return () => (kept ??= { value: read() }).value;
}

function messageOf(error: unknown): string {
  if (isPulseError(error, "PULSE_CODEC")) return error.details.reason;
  return error instanceof Error ? error.message : String(error);
}
