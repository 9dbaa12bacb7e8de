import { structured } from "@pulse-ts/codec";
import type { Codecs } from "@pulse-ts/codec";
import type { AnyKey, KeyType } from "@pulse-ts/core";
import type { CodedKey } from "./values.ts";

/** The codecs of what one run records, each looked up once. */
export interface CodedKeys {
  /** Of a key; of a stream key that of its element. @throws PULSE_CODEC for a type without a codec */
  key(key: AnyKey): CodedKey;
  /** Of a stream's positions: that of the declared type, else {@link untyped}. @throws PULSE_CODEC */
  position(key: AnyKey): CodedKey;
  /** Of the state of a node's handlers: that of the declared type, else {@link untyped}. @throws PULSE_CODEC */
  state(type: KeyType | undefined): CodedKey;
}

/** For what is recorded without a type: positions and states that none was declared for. */
export const untyped = structured();

/** What a state is called in errors; the record has no name for it. */
const stateName = "state";

export function codedKeys(codecs: Codecs): CodedKeys {
  const keys = lookedUp<AnyKey>((key) => ({ name: key.name, codec: codecs.forType(key.type, key.name) }));
  const positions = lookedUp<AnyKey>((key) => positionKey(codecs, key));
  const states = lookedUp<KeyType>((type) => ({ name: stateName, codec: codecs.forType(type, stateName) }));
  const untypedState: CodedKey = { name: stateName, codec: untyped };
  return { key: keys, position: positions, state: (type) => (type === undefined ? untypedState : states(type)) };
}

/** What the positions of a stream are recorded with. @throws PULSE_CODEC for a type without a codec */
export function positionKey(codecs: Codecs, { name, stream }: AnyKey): CodedKey {
  const position = stream?.position;
  const codec = position === undefined ? untyped : codecs.forType(position, name);
  // In errors: under the key's name alone one would look for the fault in a message.
  return { name: `${name} (position)`, codec };
}

function lookedUp<Asked extends object>(look: (asked: Asked) => CodedKey): (asked: Asked) => CodedKey {
  const known = new WeakMap<Asked, CodedKey>();
  return (asked) => {
    let coded = known.get(asked);
    if (coded === undefined) known.set(asked, (coded = look(asked)));
    return coded;
  };
}
