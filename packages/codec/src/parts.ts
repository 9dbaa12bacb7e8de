import { isPulseError } from "@pulse-ts/core";
import { fromBase64, toBase64 } from "./binary.ts";
import { isEncrypting, type Codec, type CodecContext, type FingerprintContext } from "./codec.ts";
import { messageOf, type CodecDetails } from "./errors.ts";
import type { Place } from "./place.ts";

/** What becomes of the parts of a value that have codecs of their own, where a schema's codec writes and reads it. */
export interface Parts {
  /** The JSON of a part. */
  write(codec: Codec, value: unknown, place: Place): string;
  /** The part of which this is the text. */
  read(codec: Codec, text: string, place: Place): unknown;
}

/** Writes a part as its codec's bytes, in base64. */
export const encodedParts: Parts = {
  write: (codec, value, place) => `"${toBase64(askCodec(codec, place, () => codec.encode(value, contextOf(place))))}"`,
  read: (codec, text, place) =>
    askCodec(codec, place, () => codec.decode(new Uint8Array(fromBase64(text)), contextOf(place))),
};

/** Writes a part whose bytes differ for equal values as its fingerprint, for the fingerprint of the whole (CODEC-19). */
export function fingerprintParts(at: FingerprintContext): Parts {
  return {
    write: (codec, value, place) =>
      codec.fingerprintsBytes === true
        ? encodedParts.write(codec, value, place)
        : JSON.stringify(askCodec(codec, place, () => codec.fingerprint(value, at))),
    read: encodedParts.read,
  };
}

/**
 * Remembers the text of each part that is read, so that writing the value again, which proves its bytes canonical, gives the same
 * text where a codec's bytes differ for equal values. There the value must have the fingerprint of what was read.
 */
export class RememberedParts implements Parts {
  readonly #read = new Map<string, { readonly text: string; readonly value: unknown }>();

  read(codec: Codec, text: string, place: Place): unknown {
    const value = encodedParts.read(codec, text, place);
    if (codec.fingerprintsBytes !== true) {
      if (toBase64(new Uint8Array(fromBase64(text))) !== text) place.refuse("the base64 of a part is not canonical");
      this.#read.set(nameOf(place), { text, value });
    }
    return value;
  }

  write(codec: Codec, value: unknown, place: Place): string {
    const known = codec.fingerprintsBytes === true ? undefined : this.#read.get(nameOf(place));
    if (known === undefined) return encodedParts.write(codec, value, place);
    const fingerprint = (one: unknown): string =>
      askCodec(codec, place, () => codec.fingerprint(one, contextOf(place)));
    if (known.value !== value && fingerprint(known.value) !== fingerprint(value)) {
      place.refuse("the schema makes another value of what was read here");
    }
    return `"${known.text}"`;
  }
}

function nameOf(place: Place): string {
  return JSON.stringify(place.steps);
}

/** Runs a codec that stands inside another value; what it refuses is refused at this place. */
function askCodec<Result>(codec: Codec, place: Place, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const details: CodecDetails = isPulseError(cause, "PULSE_CODEC")
      ? cause.details
      : { path: "", reason: messageOf(cause) };
    const { path, reason, keyId, keyMissing } = details;
    const where = path === "" ? "" : ` (inside, at ${path})`;
    return place.refuse(`its codec "${codec.id}" refuses it${where}: ${reason}`, {
      cause,
      ...(keyId === undefined ? undefined : { keyId }),
      ...(keyMissing === undefined ? undefined : { keyMissing }),
      tellsNothing: isEncrypting(codec),
    });
  }
}

function contextOf(place: Place): CodecContext {
  return place.key === undefined ? {} : { key: place.key };
}
