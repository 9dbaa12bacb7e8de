import { canonicalJson, sha256Hex } from "@pulse-ts/codec";

/** A message as one group handles it. */
export interface HandledSequence {
  readonly sourceId: string;
  readonly group: string;
  readonly sequence: number;
}

/**
 * What a body gives to the outside so that a repeated call is recognised (DUR-7). Made of run, scope and node, never of
 * an attempt: the same over crashes, resumes and inner retries (DUR-25). A child scope that this names is confirmed
 * before any body in it runs, and the root scope before any body at all, so that no crash loses what it is made of. A
 * handler has one for each message: a source is confirmed before anything of it is delivered.
 */
export function idempotencyKey(runId: string, scope: string, nodeId: string, message?: HandledSequence): string {
  const of = message === undefined ? [] : [message.sourceId, message.group, message.sequence];
  return sha256Hex(canonicalJson(["pulse", runId, scope, nodeId, ...of])).slice(0, 32);
}
