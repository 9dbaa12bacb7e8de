import { canonicalJson, sha256Hex } from "@pulse-ts/codec";

/**
 * What a body gives to the outside so that a repeated call is recognised (DUR-7). Made of run, scope and node, never of
 * an attempt: the same over crashes, resumes and inner retries (DUR-25). A child scope that this names is confirmed
 * before any body in it runs, and the root scope before any body at all, so that no crash loses what it is made of.
 */
export function idempotencyKey(runId: string, scope: string, nodeId: string): string {
  return sha256Hex(canonicalJson(["pulse", runId, scope, nodeId])).slice(0, 32);
}
