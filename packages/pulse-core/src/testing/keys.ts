import { key, type Key } from "../key.ts";
import { type } from "../type.ts";

/** Keys without a check at run time, for tests of the engine. */
export const numberKey = <const Name extends string>(name: Name): Key<Name, number> =>
  key(name, type<number>("number"));

export const textKey = <const Name extends string>(name: Name): Key<Name, string> => key(name, type<string>("string"));

export const anyKey = <const Name extends string>(name: Name): Key<Name> => key(name, type<unknown>("unknown"));
