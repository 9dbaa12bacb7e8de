import type { MessageStart } from "./child-event.ts";
import { attemptsUnder, idempotencyKey, isVoid, placeIn } from "./judge-bodies.ts";
import type { Mirror } from "./mirror.ts";
import type { Violation } from "./violation.ts";

type Finding = Omit<Violation, "process">;

/** What is wrong with a handler that starts on a message while the confirmed record is `mirror`. */
export function judgeMessage(start: MessageStart, mirror: Mirror, runId: string): readonly Finding[] {
  const { path, attempt } = start;
  const found = pendingOf(start, mirror, runId);
  if (found === undefined) {
    const message = `"${path}" was given a message that its group has not to read (try ${attempt})`;
    return [{ kind: "message-ran-again", rule: "STR-28", message }];
  }
  const { scope, nodeId, ids } = found;
  const what = `message ${ids.join(" ")} at "${path}"`;
  if (isVoid(scope, mirror)) {
    return [{ kind: "void-ran", rule: "CKPT-22", message: `${what} was handled in scope ${scope}, which is void` }];
  }
  const roots = attemptsUnder(mirror, scope).flatMap(([id, { nodeId: owner, boundary }]) =>
    owner === nodeId && boundary === "" ? [id] : [],
  );
  const tries = mirror
    .tries()
    .filter(
      ([[source, group, sequence, handler, parent]]) =>
        [source, group, sequence].join(" ") === ids.join(" ") && handler === nodeId && roots.includes(parent ?? ""),
    );
  const failed = tries.filter(([, { state }]) => state === "failed").length;
  if (failed === attempt - 1) return [];
  const message = `${what} began try ${attempt} when ${failed} failed tries were confirmed`;
  return [{ kind: "message-budget", rule: "STR-24", message }];
}

/** The message that a handler says it was given, if some group has it to read: its key is made of it. */
function pendingOf({ path, id }: MessageStart, mirror: Mirror, runId: string) {
  const { graphPath, nodeId } = placeIn(path);
  const scopes = mirror.scopes().filter(([, entry]) => entry.path === graphPath);
  for (const [[source = "", group = ""], { pending }] of mirror.streams()) {
    for (const [first, last] of pending) {
      for (let sequence = first; sequence <= last; sequence += 1) {
        const message = [source, group, sequence] as const;
        const at = scopes.find(([scope]) => idempotencyKey(runId, scope, nodeId, ...message) === id);
        if (at !== undefined) return { scope: at[0], nodeId, ids: message };
      }
    }
  }
  return undefined;
}

/** What one save must not do to tries of messages: one that has failed stays so while its message is to be read, within its limit. */
export function judgeMessageTries(before: Mirror, after: Mirror): readonly Finding[] {
  const findings: Finding[] = [];
  const bad = (ids: readonly string[], message: string): void =>
    void findings.push({ kind: "message-budget", rule: "STR-24", message: `try ${ids.join(" ")}: ${message}` });
  const next = new Map(after.tries().map(([ids, entry]) => [ids.join("/"), entry]));
  for (const [ids, entry] of before.tries()) {
    const is = next.get(ids.join("/"));
    if (is === undefined) {
      if (entry.state === "failed" && isPending(ids, after))
        bad(ids, "it is gone, and its message is still to be read");
      continue;
    }
    if (is.limit !== entry.limit) bad(ids, `its limit changed from ${entry.limit} to ${is.limit}`);
    if (entry.state !== "active" && is.state !== entry.state) bad(ids, `it is ${is.state}, and was ${entry.state}`);
  }
  for (const [ids, { limit }] of after.tries()) {
    if (Number(ids.at(-1)) > limit) bad(ids, `it is beyond its limit of ${limit}`);
  }
  return findings;
}

function isPending([source, group, sequence]: readonly string[], mirror: Mirror): boolean {
  const account = mirror.streams().find(([[of, as]]) => of === source && as === group);
  const at = Number(sequence);
  return account?.[1].pending.some(([first, last]) => first <= at && at <= last) ?? false;
}
