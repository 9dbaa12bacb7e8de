import { idsKey } from "../record/entry-key.ts";
import { inputsFingerprint } from "../runtime/fingerprint.ts";
import type { GivenInput } from "../runtime/fingerprint.ts";
import type { ChildView } from "./definition-view.ts";
import type { CheckedParts } from "./parts.ts";

/** The root inputs of the call, by name. */
export type GivenInputs = ReadonlyMap<string, GivenInput>;

/** The older fingerprint of a child scope, as its inputs' recorded values make it; nothing when they cannot be told. */
export type InputsSearch = (scope: string, child: ChildView) => string | undefined;

/**
 * Before bindings were told by their sources, a child scope's fingerprint covered name, state and fingerprint of each
 * of the child's inputs, like that of the root (REC-3). Such a scope was opened when all of them had arrived, so what the
 * record holds tells them. Input values are known by the digest that their provider recorded.
 */
export function inputsSearch({ record, definition, scopeOf }: CheckedParts, given?: GivenInputs): InputsSearch {
  /** One step: the state itself, or where to look further out. */
  const look = (scope: string, key: string): InputState | Outward | undefined => {
    const path = record.scopes.get(scope)?.path;
    const provider = path === undefined ? undefined : definition?.graph(path)?.providers.get(key);
    if (provider?.kind === "node") {
      const outputs = record.nodes.get(idsKey(scope, provider.nodeId))?.outputs ?? [];
      const output = outputs.find(({ name }) => name === key);
      if (output?.state === "ready") return { state: "ready", fingerprint: output.digest };
      return output?.state === "skipped" ? { state: "skipped" } : undefined;
    }
    if (path === "") return given?.get(key);
    const outer = scopeOf.get(scope);
    if (provider?.kind === "outer") return outer === undefined ? undefined : { scope: outer, key: provider.key };
    return provider === undefined ? undefined : fixedState(childOf(scope), key);
  };
  const childOf = (scope: string): ChildView | undefined => {
    const around = record.scopes.get(scopeOf.get(scope) ?? "")?.path;
    const nodeId = record.attempts.get(scope)?.nodeId;
    if (around === undefined || nodeId === undefined) return undefined;
    return definition?.graph(around)?.nodes.get(nodeId)?.child;
  };
  const stateOf = (fromScope: string, fromKey: string): InputState | undefined => {
    for (let at: Outward = { scope: fromScope, key: fromKey }; ;) {
      const found = look(at.scope, at.key);
      if (found === undefined || "state" in found) return found;
      // Scopes stand in a tree, whose chains were walked before: outwards comes to an end.
      at = found;
    }
  };
  return (scope, child) => {
    const outer = scopeOf.get(scope);
    const inputs: GivenInput[] = [];
    for (const input of child.inputs) {
      const { name } = input;
      const state = input.kind === "in" && outer !== undefined ? stateOf(outer, input.from) : fixedState(child, name);
      if (state === undefined) return undefined;
      inputs.push({ name, ...state });
    }
    return inputsFingerprint(inputs);
  };
}

type InputState = { readonly state: "skipped" } | { readonly state: "ready"; readonly fingerprint: string };

interface Outward {
  readonly scope: string;
  readonly key: string;
}

/** Of an input that is bound to no key: a fixed value, or left out. */
function fixedState(child: ChildView | undefined, name: string): InputState | undefined {
  const input = child?.inputs.find((one) => one.name === name);
  if (input?.kind === "fix") return { state: "ready", fingerprint: input.fingerprint };
  return input?.kind === "none" ? { state: "skipped" } : undefined;
}
