import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { defineCodec, guardedCodec, type Codec, type FingerprintContext } from "./codec.ts";
import { codecError, keptBack, type CodecAction } from "./errors.ts";
import { isKeyId, ringOf, type KeyRing, type KeyRingOptions, type Ring } from "./key-ring.ts";

/**
 * Encrypts the bytes of any codec with AES-256-GCM (CODEC-11): `codecs.register(encrypt(json(card, { id, version }), ring))`.
 *
 * New values are encrypted with the ring's current key, and any key of the ring opens old ones. The bytes name the key's id in
 * clear; id and version of the codec and the key's id are authenticated with them. Its id is `aes-256-gcm(<id inside>)`, so
 * that a value that was written in clear is never taken for an encrypted one.
 *
 * Equal values have unlike bytes. The fingerprint is HMAC-SHA-256 of the inner bytes (of the inner fingerprint where that is
 * not made of the bytes) under a key derived from the ring's (CODEC-19). Errors name the key's id and show nothing of the
 * value: what the inner codec says of it is kept back.
 *
 * One key is good for 2^32 values; rotate long before.
 * @throws PULSE_CODEC at once when a key has not 32 bytes or an id cannot be written; later, by key and key id, for a missing
 * key, another key, changed or cut bytes.
 */
export function encrypt<Value>(inner: Codec<Value>, ring: KeyRing | KeyRingOptions): Codec<Value> {
  const codec = guardedCodec(inner);
  const keys = ringOf(ring);
  const id = `aes-256-gcm(${codec.id})`;
  const { type, version, immutable = false } = codec;
  const sealedFor = (keyId: string): Buffer => Buffer.from(JSON.stringify(["pulse", 1, id, version, keyId]));

  /** Lets the inner codec speak, and repeats only what holds nothing of the value. */
  const inside = <Result>(action: CodecAction, key: string | undefined, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      const reason = `its codec "${codec.id}" refuses it; what it says is kept back, since it may show what is encrypted`;
      throw keptBack(error, { action, key, path: "", reason });
    }
  };

  return defineCodec<typeof type, Value>({
    type,
    id,
    version,
    immutable,
    // Those inside have their part where the inner fingerprint is what counts.
    fingerprintKeys: [{ codecId: id, current: keys.current }, ...(codec.fingerprintKeys ?? [])],
    encode: (value, at) => {
      const plain = inside("encode", at.key, () => codec.encode(value, at));
      return seal(plain, keys, sealedFor(keys.current));
    },
    decode: (bytes, at) => {
      const { keyId, nonce, sealed, tag } = partsOf(bytes, at.key);
      const key = keys.key(keyId);
      if (key === undefined) throw missingKey("decode", at.key, keyId, keys);
      const decipher = createDecipheriv("aes-256-gcm", key.encryption, nonce, { authTagLength: tagBytes });
      decipher.setAAD(sealedFor(keyId)).setAuthTag(tag);
      const plain = new Uint8Array(sealed.byteLength);
      plain.set(decipher.update(sealed));
      try {
        decipher.final();
      } catch {
        const reason = `it cannot be opened with the key "${keyId}": it was encrypted with another key of that id or by another codec, or its bytes were changed or cut`;
        throw codecError({ action: "decode", key: at.key, path: "", reason, keyId, tellsNothing: true });
      }
      return inside("decode", at.key, () => codec.decode(plain, at));
    },
    fingerprint: (value, at) => {
      const keyId = at.keyIdOf?.(id) ?? keys.current;
      const key = keys.key(keyId);
      if (key === undefined) throw missingKey("encode", at.key, keyId, keys);
      const secret = key.derive(JSON.stringify(["pulse fingerprint", 1, id, version]), at.salt ?? "");
      const content = inside("encode", at.key, () => fingerprinted(codec, value, at));
      return createHmac("sha256", secret).update(content).digest("hex");
    },
  });
}

/** No text in UTF-8 begins so: bytes that were never encrypted are not taken for encrypted ones. */
const magic = Buffer.from([0xe1, 0x01]);
const nonceBytes = 12;
const tagBytes = 16;

/** Magic, length of the key's id, the id, the nonce, the encrypted bytes, the tag. */
function seal(plain: Uint8Array, keys: Ring, sealedFor: Buffer): Uint8Array {
  const key = keys.key(keys.current);
  if (key === undefined) throw new Error("a ring has its current key");
  const keyId = Buffer.from(keys.current, "latin1");
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.encryption, nonce, { authTagLength: tagBytes });
  cipher.setAAD(sealedFor);
  const sealed = cipher.update(plain);
  cipher.final();
  const parts = [magic, Buffer.of(keyId.length), keyId, nonce, sealed, cipher.getAuthTag()];
  // In memory of its own, not in Node's shared pool.
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

interface SealedParts {
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly tag: Uint8Array;
}

function partsOf(bytes: Uint8Array, key: string | undefined): SealedParts {
  const idAt = magic.length + 1;
  const nonceAt = idAt + (bytes[magic.length] ?? 0);
  const sealedAt = nonceAt + nonceBytes;
  const tagAt = bytes.byteLength - tagBytes;
  const keyId = Buffer.from(bytes.subarray(idAt, nonceAt)).toString("latin1");
  if (!magic.equals(bytes.subarray(0, magic.length)) || tagAt < sealedAt || !isKeyId(keyId)) {
    const reason = "these are no bytes that encrypt() writes: they were never encrypted, or were changed or cut";
    throw codecError({ action: "decode", key, path: "", reason, tellsNothing: true });
  }
  return {
    keyId,
    nonce: bytes.subarray(nonceAt, sealedAt),
    sealed: bytes.subarray(sealedAt, tagAt),
    tag: bytes.subarray(tagAt),
  };
}

/** What a fingerprint of a value covers: the inner bytes, or what stands for them where these differ for equal values. */
function fingerprinted<Value>(codec: Codec<Value>, value: Value, at: FingerprintContext): Uint8Array | string {
  return codec.fingerprintsBytes === true ? codec.encode(value, at) : codec.fingerprint(value, at);
}

function missingKey(action: CodecAction, key: string | undefined, keyId: string, ring: Ring): Error {
  const has = ring.ids.map((id) => `"${id}"`).join(", ");
  const reason =
    action === "decode"
      ? `it was encrypted with the key "${keyId}", which the key ring does not have (it has ${has}); add that key to the ring`
      : `its fingerprint needs the key "${keyId}", which the key ring does not have (it has ${has}); add that key to the ring`;
  return codecError({ action, key, path: "", reason, keyId, keyMissing: true, tellsNothing: true });
}
