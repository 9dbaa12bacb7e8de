import { canonicalJson, sha256Hex } from "@pulse-ts/codec";
import type { BodyStart, ReadAttempt } from "./child-event.ts";
import type { Mirror } from "./mirror.ts";
import type { Violation } from "./violation.ts";

type Finding = Omit<Violation, "process">;

/** The scope of a body: its key is made of it. `undefined` when no confirmed save holds one that fits. */
export function scopeOf({ path, id }: BodyStart, mirror: Mirror, runId: string): string | undefined {
  const { graphPath, nodeId } = placeIn(path);
  const found = mirror
    .scopes()
    .find(([scope, entry]) => entry.path === graphPath && idempotencyKey(runId, scope, nodeId) === id);
  return found?.[0];
}

/** What is wrong with a body that starts in a scope while the confirmed record is `mirror`. */
export function judgeBody(body: BodyStart, scope: string | undefined, mirror: Mirror): readonly Finding[] {
  const { path } = body;
  if (scope === undefined) {
    const message = `the body of "${path}" ran in a scope that no confirmed save holds`;
    return [{ kind: "scope-unconfirmed", rule: "DUR-25", message }];
  }
  const { nodeId } = placeIn(path);
  if (mirror.confirms(scope, nodeId)) {
    const message = `the body of "${path}" ran although its result was confirmed (scope ${scope})`;
    return [{ kind: "confirmed-ran-again", rule: "DUR-8", message }];
  }
  if (isVoid(scope, mirror)) {
    const message = `the body of "${path}" ran in scope ${scope}, which is void`;
    return [{ kind: "void-ran", rule: "CKPT-22", message }];
  }
  const roots = attemptsUnder(mirror, scope).filter(
    ([, attempt]) => attempt.nodeId === nodeId && attempt.boundary === "",
  );
  return judgeTries(body, roots, mirror);
}

/** A path taken apart: the graph it leads to, and the node there. */
export function placeIn(path: string): { readonly graphPath: string; readonly nodeId: string } {
  const cut = path.lastIndexOf("/");
  return { graphPath: path.slice(0, Math.max(cut, 0)), nodeId: path.slice(cut + 1) };
}

/** What bodies give to the outside (DUR-25): spelt out here on purpose, so that a change of it is noticed. */
export function idempotencyKey(
  runId: string,
  scope: string,
  nodeId: string,
  ...message: readonly (string | number)[]
): string {
  return sha256Hex(canonicalJson(["pulse", runId, scope, nodeId, ...message])).slice(0, 32);
}

/** A scope has the id of the attempt that opened it: void is what has a failed attempt above it. */
export function isVoid(scope: string, mirror: Mirror): boolean {
  for (let at: ReadAttempt | undefined = mirror.attempt(scope); at !== undefined; at = mirror.attempt(at.parent)) {
    if (at.state === "failed") return true;
  }
  return false;
}

type Attempts = readonly (readonly [id: string, attempt: ReadAttempt])[];

export function attemptsUnder(mirror: Mirror, parent: string): Attempts {
  return mirror.attempts().filter(([, attempt]) => attempt.parent === parent);
}

/** Down the chain, from the root attempt through each retry: no failed one runs, and each earlier one has failed. */
function judgeTries({ path, tries }: BodyStart, roots: Attempts, mirror: Mirror): readonly Finding[] {
  const failed = (what: string): Finding => ({
    kind: "failed-try-ran-again",
    rule: "CKPT-19",
    message: `"${path}" ran in ${what}, which had failed for certain`,
  });
  let at = roots[0];
  if (at?.[1].state === "failed") return [failed("its root attempt")];
  for (const [level, index] of tries.entries()) {
    const siblings = at === undefined ? [] : attemptsUnder(mirror, at[0]).filter(([, { boundary }]) => boundary !== "");
    const own = siblings.find(([, attempt]) => attempt.index === index);
    if (own?.[1].state === "failed") return [failed(`try ${index} of its retry ${level + 1}`)];
    const confirmed = siblings.filter(([, attempt]) => attempt.index < index && attempt.state === "failed").length;
    if (confirmed !== index - 1) {
      const message = `"${path}" began try ${index} of its retry ${level + 1} when ${confirmed} failed tries were confirmed`;
      return [{ kind: "try-too-early", rule: "CKPT-19", message }];
    }
    at = own;
  }
  return [];
}
