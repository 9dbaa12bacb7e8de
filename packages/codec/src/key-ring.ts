import { Buffer } from "node:buffer";
import { createSecretKey, hkdfSync, KeyObject } from "node:crypto";
import { codecError } from "./errors.ts";
import { checkOptionNames } from "./options.ts";

/** Bytes of a key: AES-256 takes exactly as many. */
export const keyBytes = 32;

/**
 * A secret key of 32 random bytes: the bytes, their base64 (or base64url), or a secret `KeyObject`. Make one with
 * `randomBytes(32)` of `node:crypto`, never of a password as it is.
 */
export type KeySource = Uint8Array | string | KeyObject;

export interface KeyRingOptions {
  /**
   * All keys that values may have been encrypted with, by id. Ids are written in clear: 1 to 64 letters, digits or `._:@/+-`.
   * An id names one key for ever; a new key needs a new id.
   */
  readonly keys: Readonly<Record<string, KeySource>>;
  /** The id of the key that new values are encrypted with. Default: the only one; needed when there are several. */
  readonly current?: string;
}

/** Keys by id. Shows its ids and never its keys: not when it is printed, inspected or turned into JSON. */
export interface KeyRing {
  readonly ids: readonly string[];
  readonly current: string;
}

/**
 * Checks and copies keys once, for any number of codecs: `encrypt(codec, ring)`. The copy is not changed when the bytes given
 * are overwritten later.
 * @throws PULSE_CODEC by the id, for a key of another length, an id that cannot be written, or a `current` that is not there.
 */
export function keyRing(options: KeyRingOptions): KeyRing {
  return new Ring(options);
}

/** What encrypting codecs need of a ring, made where it is not made yet. */
export function ringOf(given: KeyRing | KeyRingOptions): Ring {
  return given instanceof Ring ? given : new Ring(given as KeyRingOptions);
}

/** A key, and the one that fingerprints are made with. */
export interface RingKey {
  readonly encryption: KeyObject;
  /** Bytes derived for one purpose; unlike for unlike `info` and `salt`. */
  derive(info: string, salt: string): Uint8Array;
}

export class Ring implements KeyRing {
  readonly ids: readonly string[];
  readonly current: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(options: KeyRingOptions) {
    const { keys, current } = checkedOptions(options);
    this.ids = Object.freeze(Object.keys(keys));
    this.#keys = new Map(Object.entries(keys).map(([id, source]) => [checkedId(id), secretKey(id, source)]));
    this.current = checkedCurrent(current, this.ids);
    Object.freeze(this);
  }

  key(id: string): RingKey | undefined {
    const encryption = this.#keys.get(id);
    if (encryption === undefined) return undefined;
    const derive = (info: string, salt: string): Uint8Array =>
      new Uint8Array(hkdfSync("sha256", encryption, salt, info, keyBytes));
    return { encryption, derive };
  }
}

const idPattern = /^[\w.:@/+-]{1,64}$/;

/** True for what may be an id of a key. */
export function isKeyId(candidate: string): boolean {
  return idPattern.test(candidate);
}

function checkedOptions(options: unknown): KeyRingOptions {
  const keys: unknown =
    typeof options === "object" && options !== null ? (options as Partial<KeyRingOptions>).keys : undefined;
  if (typeof keys !== "object" || keys === null || keys instanceof Uint8Array)
    throw refuse('give its keys by id: { keys: { k1: bytes }, current: "k1" }');
  checkOptionNames<KeyRingOptions>("the key ring is not right", options, { keys: true, current: true });
  if (Object.keys(keys).length === 0) throw refuse("it has no key");
  return options as KeyRingOptions;
}

function checkedId(id: string): string {
  // Not shown: somebody may have put the key where its id belongs.
  if (!isKeyId(id)) throw refuse("the id of a key is no 1 to 64 letters, digits or ._:@/+-, and is written in clear");
  return id;
}

function checkedCurrent(current: unknown, ids: readonly string[]): string {
  const [only] = ids;
  if (current === undefined && only !== undefined) {
    if (ids.length === 1) return only;
    throw refuse(`it has the keys ${listOf(ids)}; say which is current, the one that new values are encrypted with`);
  }
  if (typeof current !== "string" || !ids.includes(current))
    throw refuse(`its current key is none of its keys (${listOf(ids)})`);
  return current;
}

function secretKey(id: string, source: unknown): KeyObject {
  if (source instanceof KeyObject) {
    if (source.type !== "secret") throw refuse(`the key "${id}" is a ${source.type} key; a secret one is needed`);
    if (source.symmetricKeySize !== keyBytes) throw wrongLength(id, source.symmetricKeySize ?? 0);
    return source;
  }
  const bytes = typeof source === "string" ? bytesOf(id, source) : source;
  if (!(bytes instanceof Uint8Array))
    throw refuse(`the key "${id}" is neither bytes nor base64 nor a KeyObject; give ${keyBytes} random bytes`);
  if (bytes.byteLength !== keyBytes) throw wrongLength(id, bytes.byteLength);
  return createSecretKey(bytes);
}

/** Base64 in either alphabet. Node skips what is none, which would make another key of a mistyped one. */
function bytesOf(id: string, text: string): Uint8Array {
  const bare = text.replace(/={1,2}$/, "");
  for (const alphabet of ["base64", "base64url"] as const) {
    const bytes = Buffer.from(bare, alphabet);
    if (bytes.toString(alphabet).replace(/=+$/, "") === bare) return bytes;
  }
  throw refuse(`the key "${id}" is a text that is no base64`);
}

function wrongLength(id: string, found: number): Error {
  const advice = 'make one with randomBytes(32), and give a hexadecimal one as Buffer.from(text, "hex")';
  return refuse(`the key "${id}" has ${found} bytes, and AES-256 takes ${keyBytes}; ${advice}`);
}

function listOf(ids: readonly string[]): string {
  return ids.map((id) => `"${id}"`).join(", ");
}

function refuse(reason: string): Error {
  return codecError({ action: "prepare", key: undefined, path: "", reason: `the key ring is not right: ${reason}` });
}
