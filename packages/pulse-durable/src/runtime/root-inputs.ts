import type { checkpointInputs, ReadValue } from "@pulse-ts/core/checkpoint";
import type { GivenInputs } from "../integrity/scope-inputs.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";
import { inputsFingerprint, inputsOutline } from "./fingerprint.ts";
import type { GivenInput } from "./fingerprint.ts";
import type { PreparedGraph } from "./prepared.ts";
import { fingerprintOfValue } from "./values.ts";
import type { Values } from "./values.ts";

/** What tells the root inputs of one run from those of another (DUR-6). */
export interface InputFingerprints {
  /** Over all of them. */
  readonly inputs: string;
  /** A short hash of each, so that those that differ can be named (DUR-4). */
  readonly inputsOutline: Readonly<Record<string, string>>;
  /** By name, for the older fingerprints of scopes (REC-3). */
  readonly given: GivenInputs;
}

export interface RootInputs {
  /** In place of what the host gave (CODEC-9). */
  readonly readers: ReadonlyMap<string, ReadValue>;
  /** Those of encrypted inputs with the keys that are asked for (CODEC-19). @throws PULSE_CODEC when a ring has lost one */
  fingerprints(keyIdOf?: KeyIdOf): InputFingerprints;
}

/** Root inputs are values like any other: encoded once, decoded by each reader (CODEC-13). @throws PULSE_CODEC */
export function rootInputs(
  runId: string,
  received: ReturnType<typeof checkpointInputs>,
  root: PreparedGraph,
  values: Values,
): RootInputs {
  const given: ((keyIdOf?: KeyIdOf) => GivenInput)[] = [];
  const readers = new Map<string, ReadValue>();
  for (const [name, input] of received) {
    const key = root.inputs.get(name);
    if (key === undefined) throw new Error(`graph "${root.graph}" has no input "${name}"`);
    if (input.state === "skipped") {
      given.push(() => ({ name, state: "skipped" }));
      continue;
    }
    const { value } = input;
    const record = values.encode(key, value);
    // The run's id is in it: who sees the records of many runs does not see which of them were given the same secret.
    const salt = ["input", runId, name];
    given.push((keyIdOf) => ({
      name,
      state: "ready",
      fingerprint: fingerprintOfValue(key, value, record, { keyIdOf, salt }),
    }));
    readers.set(
      name,
      values.reader(record, key, { where: `root input "${name}"` }, () => value),
    );
  }
  return {
    readers,
    fingerprints(keyIdOf) {
      const all = given.map((fingerprinted) => fingerprinted(keyIdOf));
      return {
        inputs: inputsFingerprint(all),
        inputsOutline: inputsOutline(all),
        given: new Map(all.map((input) => [input.name, input])),
      };
    },
  };
}
