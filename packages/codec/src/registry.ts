import { PulseError, type KeyType } from "@pulse-ts/core";
import { checkIdentity, guardedCodec, isEncrypting, isKeyType, isTypeToken, type Codec } from "./codec.ts";
import { asCodecError, codecError } from "./errors.ts";
import { schemaHash } from "./describe-schema.ts";
import { containsSchema } from "./find-schema.ts";
import { isZodSchema, zodCodec } from "./json.ts";
import { scalarCodecs } from "./scalars.ts";
import { standardCodec } from "./standard-schema.ts";
import { structured } from "./structured.ts";

/** The version of the format in which automatic codecs write values under zod schemas. */
export const automaticVersion = "1";

/** Which codec serves which type. */
export interface Codecs {
  /**
   * Adds a codec for its type. Register before the first graph is prepared.
   * A codec that was not made by `defineCodec` gets the same checks of its results.
   * @throws PULSE_CONFLICT when the type or the id has a codec already; nothing is replaced (CODEC-2).
   * @throws PULSE_CODEC when type, id, version or a function is missing or empty, and when a codec that does not encrypt
   * would write in clear what another one encrypts, since its schema contains that one's (CODEC-11).
   */
  register(codec: Codec): void;
  /** How many codecs were registered: what was made of the registry before it grew may be out of date. */
  readonly registered?: number | undefined;
  /**
   * The codec of a key's type: the registered one, else the automatic one (CODEC-5, CODEC-16). Found by the identity of the
   * type token or schema, never by the shape of a value; the same codec for the same type each time.
   * @throws PULSE_CODEC by key and path when the type cannot have an automatic codec (CODEC-15).
   */
  forType(type: KeyType, keyName: string): Codec;
}

/** A registry with codecs for string, number, boolean, bigint, bytes, null, Date and URL (CODEC-3), and automatic ones for all other types (CODEC-5). */
export function createCodecs(): Codecs {
  const registry = new Registry("automatic");
  for (const codec of scalarCodecs) registry.register(codec);
  return registry;
}

/** A registry with nothing in it, for those who want every format in their hands: it makes no automatic codecs (CODEC-3). */
export function createEmptyCodecs(): Codecs {
  return new Registry("registered only");
}

class Registry implements Codecs {
  readonly #mode: "automatic" | "registered only";
  readonly #byType = new Map<KeyType, Codec>();
  readonly #ids = new Set<string>();
  #encrypting = 0;
  /** Made anew after each registration: a registered codec also serves the places of its schema inside other schemas. */
  #automatic = new WeakMap<KeyType, Codec>();

  constructor(mode: "automatic" | "registered only") {
    this.#mode = mode;
  }

  register(codec: Codec): void {
    checkIdentity(codec);
    const known = this.#byType.get(codec.type);
    if (known !== undefined) {
      throw conflict(
        "codec type",
        `cannot register codec "${codec.id}": its type has codec "${known.id}" already`,
        known.id,
        codec.id,
      );
    }
    if (this.#ids.has(codec.id)) {
      throw conflict(
        "codec id",
        `cannot register a second codec with the id "${codec.id}"; give it an id of its own`,
        undefined,
        codec.id,
      );
    }
    const guarded = guardedCodec(codec);
    this.#refuseBypassing(guarded);
    this.#byType.set(codec.type, guarded);
    if (isEncrypting(guarded)) this.#encrypting++;
    this.#ids.add(codec.id);
    this.#automatic = new WeakMap();
  }

  get registered(): number {
    return this.#byType.size;
  }

  /** A registered codec asks no other one: what stands inside its schema would be written in clear, whatever was registered for it. */
  #refuseBypassing(added: Codec): void {
    for (const known of this.#byType.values()) {
      const [encrypting, other] = isEncrypting(added) ? [added, known] : [known, added];
      if (!isEncrypting(encrypting) || isEncrypting(other) || isTypeToken(other.type)) continue;
      if (!containsSchema(other.type, (part) => part === encrypting.type)) continue;
      throw prepareError(
        undefined,
        `the schema of codec "${other.id}" contains that of "${encrypting.id}", whose values it would write in clear; encrypt it too, or let it have an automatic codec`,
      );
    }
  }

  forType(type: KeyType, keyName: string): Codec {
    const known = this.#byType.get(type) ?? this.#automatic.get(type);
    if (known !== undefined) return known;
    if (this.#mode === "registered only")
      throw prepareError(keyName, "no codec is registered for its type, and this registry makes none by itself");
    const codec = this.#make(type, keyName);
    this.#automatic.set(type, codec);
    return codec;
  }

  #make(type: KeyType, key: string): Codec {
    if (!isKeyType(type)) throw prepareError(key, "its type is neither a type token nor a schema");
    if (isZodSchema(type)) return this.#makeForZod(type, key);
    if (isTypeToken(type)) return structured(type);
    // Nothing asks the codecs of other schemas there: an encrypted part would be written in clear.
    if (this.#encrypting > 0 && containsSchema(type, (part) => this.#encrypts(part)))
      throw prepareError(
        key,
        "its schema contains one whose values are encrypted, which its automatic codec would write in clear; encrypt the whole",
      );
    return standardCodec(type);
  }

  #encrypts(candidate: object): boolean {
    const codec = this.#byType.get(candidate as KeyType);
    return codec !== undefined && isEncrypting(codec);
  }

  #makeForZod(schema: Parameters<typeof zodCodec>[0], key: string): Codec {
    const findCodec = (inner: object): Codec | undefined => this.#byType.get(inner as KeyType);
    try {
      return zodCodec(schema, {
        id: `zod:${schemaHash(schema, findCodec)}`,
        version: automaticVersion,
        key,
        findCodec,
      });
    } catch (error) {
      throw asCodecError(error, { action: "prepare", key, path: "", reason: "looking at its schema failed" });
    }
  }
}

function conflict(
  what: string,
  message: string,
  expected: string | undefined,
  found: string,
): PulseError<"PULSE_CONFLICT"> {
  return new PulseError("PULSE_CONFLICT", message, {
    details: expected === undefined ? { what, found } : { what, expected, found },
  });
}

function prepareError(key: string | undefined, reason: string): PulseError<"PULSE_CODEC"> {
  return codecError({ action: "prepare", key, path: "", reason });
}
