import type { ConfirmedOutput } from "@pulse-ts/core/checkpoint";
import { idsKey } from "../record/entry-key.ts";
import type { HookParts } from "./hooks.ts";
import { OutputPlace } from "./output-place.ts";
import { providedKey } from "./prepared.ts";

/** A node whose handlers may have confirmed messages, by its root attempt. */
export interface HandlingNode {
  readonly scope: string;
  readonly nodeId: string;
  readonly attempt: string;
}

/**
 * The plain values that the confirmed messages of an active node contributed (STR-28). Nothing is decoded; contents are
 * fetched, since core reads without waiting. Under a failed ancestor no attempt is opened, so nothing is given (STR-52).
 */
export async function contributedValues(
  { scope, nodeId, attempt }: HandlingNode,
  { ledger, prepared, values }: Pick<HookParts, "ledger" | "prepared" | "values">,
): Promise<readonly ConfirmedOutput[]> {
  const { managed, scopes } = ledger.view.record;
  const contributed = managed.get(idsKey(scope, attempt, nodeId))?.values ?? [];
  if (contributed.length === 0) return [];
  const node = prepared.graphs.get(scopes.get(scope)?.path ?? "")?.nodes.get(nodeId);
  await values.fetch(contributed);
  return contributed.map((value): ConfirmedOutput => {
    const { name } = value;
    const key = providedKey(node, name, -1);
    // The record was checked against the definition before this (STR-52).
    if (key === undefined) throw new Error(`node "${nodeId}" has no key "${name}"`);
    if (value.state === "skipped") return { name, state: "skipped" };
    return { name, state: "ready", read: values.reader(value, key, new OutputPlace(scope, nodeId, name)) };
  });
}
