import type { Codec } from "./codec.ts";
import { codecError } from "./errors.ts";
import type { Codecs } from "./registry.ts";

/**
 * A registry that wraps every codec of another one: `wrapCodecs(createCodecs(), (codec) => encrypt(codec, ring))` leaves nothing
 * that is stored in clear (CODEC-11). A codec is wrapped once, and found by its type as before (CODEC-2); registering goes
 * through to the registry inside.
 * @throws PULSE_CODEC by key, in `forType`, when the wrapped codec is of another type.
 */
export function wrapCodecs(codecs: Codecs, wrap: (codec: Codec) => Codec): Codecs {
  const wrapped = new WeakMap<Codec, Codec>();
  return {
    get registered() {
      return codecs.registered;
    },
    register: (codec) => codecs.register(codec),
    forType(type, keyName) {
      const codec = codecs.forType(type, keyName);
      let result = wrapped.get(codec);
      if (result === undefined) {
        result = wrap(codec);
        if (result.type !== codec.type) {
          const reason = `its codec "${codec.id}" was wrapped in one of another type`;
          throw codecError({ action: "prepare", key: keyName, path: "", reason });
        }
        wrapped.set(codec, result);
      }
      return result;
    },
  };
}
