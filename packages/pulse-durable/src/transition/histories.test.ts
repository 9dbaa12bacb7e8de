import { isPulseError } from "@pulse-ts/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRecord } from "../integrity/check.ts";
import type { Provider } from "../integrity/definition-view.ts";
import { idsKey } from "../record/entry-key.ts";
import { decodeEntry, encodeEntry } from "../record/entry-json.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RecordChanges, RunRecord } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { Draft, LiveRecord, RunView } from "../record/live-record.ts";
import { rootNodes, sampleDefinition } from "../testing/sample-definition.ts";
import { digestOf, readyValue, rootId } from "../testing/sample-record.ts";
import { commitNode } from "./commit-node.ts";
import { countResume } from "./count-resume.ts";
import { failAttempt } from "./fail-attempt.ts";
import { openAttempt } from "./open-attempt.ts";
import { openChild } from "./open-child.ts";
import { startRun } from "./start-run.ts";

/**
 * Random histories of a run: any command at any moment, the refused ones too, saves that are confirmed or lost, crashes.
 * Whatever was accepted, the record that a store would hold passes every check.
 */

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };

/** One step; the picks choose among what is there at that moment. */
interface Step {
  readonly action: "open" | "fail" | "child" | "commit" | "resume" | "save" | "lose" | "crash";
  readonly pick: number;
  readonly depth: number;
}

class History {
  live: LiveRecord;
  draft: Draft;
  /** What the store holds. */
  stored: RunRecord;
  accepted = 0;
  #ids = 0;

  constructor() {
    this.stored = fold(startRun({ ...call, rootScope: rootId, graph: "order", rootNodes }));
    this.live = liveRecord(copyOf(this.stored));
    this.draft = this.live.draft();
  }

  take(step: Step): void {
    try {
      this[step.action](step);
      this.accepted += 1;
    } catch (error) {
      // A refused command changes nothing; anything else thrown is a mistake.
      if (!isPulseError(error, "PULSE_USAGE")) throw error;
    }
  }

  open({ pick, depth }: Step): void {
    const [scope, path] = at(
      [...this.draft.record.scopes].map(([id, entry]) => [id, entry.path] as const),
      pick,
    );
    const [nodeId, node] = at([...(sampleDefinition.graph(path)?.nodes ?? [])], pick >> 3);
    // Core begins an ordinary node only when what it requires is confirmed (CKPT-4).
    if (!node.requires.every((key) => isConfirmed(this.live.confirmed, scope, key))) return;
    let [parent, boundary, limit] = [scope, "", 1];
    for (const level of node.boundaries.slice(0, depth)) {
      // Core opens a retry inside the attempt around it, and that one first.
      parent = at(this.live.confirmed.index.attemptsAt(parent, nodeId, boundary).slice(-1), 0);
      ({ boundary, limit } = level);
    }
    const newId = (this.#ids += 1).toString(16).padStart(32, "0").replace(/^0/, "f");
    const command = { scope, nodeId, path: nodeId, parent, boundary, limit, newId };
    const { result } = openAttempt(this.live.confirmed, command);
    if (result.state === "new") this.live.pend(result.id, result.entry);
  }

  fail({ pick }: Step): void {
    const { view } = this.draft;
    // Mostly retries: the failure of a root attempt of the root scope ends the run.
    const attempts = known(view).filter((id) => pick % 4 === 0 || !isActiveRoot(view, id));
    this.draft.add(failAttempt(view, { attempt: at(attempts, pick >> 4) }).changes);
  }

  child({ pick }: Step): void {
    const { record, pending } = this.draft.view;
    const deepest = known(this.draft.view).filter((id) => {
      const entry = record.attempts.get(id) ?? pending.get(id);
      return entry?.nodeId === "score" && entry.boundary === "0";
    });
    const child = { graph: "scoring", path: "score", inputs: digestOf("child"), bindings: true };
    this.draft.add(openChild(this.draft.view, { attempt: at(deepest, pick), ...child }).changes);
  }

  commit({ pick }: Step): void {
    const { view } = this.draft;
    // One in eight is any attempt: those are mostly refused.
    const roots = known(view).filter((id) => isActiveRoot(view, id));
    const attempt = at(pick % 8 === 0 ? known(view) : roots, pick >> 3);
    const entry = view.record.attempts.get(attempt) ?? view.pending.get(attempt);
    const scope = entry?.parent ?? "";
    const nodeId = entry?.nodeId ?? "";
    const node = sampleDefinition.graph(view.record.scopes.get(scope)?.path ?? "")?.nodes.get(nodeId);
    // A mount is mostly left open, so that something happens inside.
    if (node?.child !== undefined && pick % 16 !== 1) return;
    if (node === undefined) return;
    const outputs = node.provides.map(({ name }) => readyValue(name, name));
    this.draft.add(commitNode(view, { scope, nodeId, attempt, reason: "completed", outputs, rootNodes }).changes);
  }

  resume(): void {
    this.draft.add(countResume(this.draft.view, {}).changes);
  }

  save(): void {
    const changes = this.draft.changes();
    this.stored = fold(changes, this.stored, this.draft.record.header.revision);
    this.draft.confirm();
    checkRecord(this.stored, sampleDefinition, call);
    this.draft = this.live.draft();
  }

  /** The store erred and wrote nothing: the session is over. */
  lose(): void {
    this.draft.abandon();
    this.crash();
  }

  crash(): void {
    this.live = liveRecord(copyOf(this.stored));
    this.draft = this.live.draft();
  }
}

function at<Item>(items: readonly Item[], pick: number): Item {
  if (items.length === 0) throw nothingThere;
  return items[pick % items.length] as Item;
}
const nothingThere = Object.assign(new Error("nothing to pick"), {
  [Symbol.for("@pulse-ts/error")]: true,
  code: "PULSE_USAGE",
});

function known({ record, pending }: RunView): readonly string[] {
  return [...new Set([...record.attempts.keys(), ...pending.keys()])];
}

function isActiveRoot({ record, pending }: RunView, id: string): boolean {
  const entry = record.attempts.get(id) ?? pending.get(id);
  return entry?.state === "active" && entry.boundary === "";
}

function isConfirmed({ record }: RunView, scope: string, key: string): boolean {
  const provider: Provider | undefined = sampleDefinition
    .graph(record.scopes.get(scope)?.path ?? "")
    ?.providers.get(key);
  if (provider?.kind === "node") return record.nodes.has(idsKey(scope, provider.nodeId));
  // Both graphs of the definition have one level of mounts: what is outside is in the root scope.
  return provider?.kind !== "outer" || isConfirmed({ record } as RunView, rootId, provider.key);
}

function fold(changes: RecordChanges, from?: RunRecord, revision?: number): RunRecord {
  const builder = recordBuilder("run", from);
  for (const change of changes) builder.apply(change);
  return builder.view(revision);
}

/** Through the JSON that stores keep. */
function copyOf(record: RunRecord): RunRecord {
  const where = { runId: "run", where: "test" };
  return fold(
    entriesOf(record).map((change) =>
      change.kind === "put"
        ? { ...change, entry: decodeEntry(change.key, JSON.parse(encodeEntry(change.entry)), where) }
        : change,
    ),
  );
}

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.oneof(
    { weight: 16, arbitrary: fc.constant("open" as const) },
    { weight: 1, arbitrary: fc.constant("fail" as const) },
    { weight: 5, arbitrary: fc.constant("child" as const) },
    { weight: 6, arbitrary: fc.constant("commit" as const) },
    { weight: 4, arbitrary: fc.constant("save" as const) },
    { weight: 1, arbitrary: fc.constantFrom("resume" as const, "lose" as const, "crash" as const) },
  ),
  pick: fc.noBias(fc.nat(1000)),
  depth: fc.noBias(fc.nat(2)),
});

test("CKPT-18 CKPT-19 CKPT-22 REC-18 REC-19 after any accepted history the stored record passes every check", () => {
  const seen = { nodes: 0, childNodes: 0, failed: 0, completed: 0, retried: 0, accepted: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 160, size: "max" }), (steps) => {
      const history = new History();
      for (const each of steps) history.take(each);
      history.save();
      expect(entriesOf(history.stored)).toHaveLength(entriesOf(history.live.confirmed.record).length);
      const { nodes, attempts, header } = history.stored;
      seen.nodes += nodes.size;
      seen.childNodes += [...nodes.keys()].filter((key) => !key.startsWith(rootId)).length;
      seen.retried += [...attempts.values()].filter(({ index }) => index > 1).length;
      seen[header.status === "running" ? "accepted" : header.status] += 1;
      seen.accepted += history.accepted;
    }),
    { seed: 20, numRuns: 200 },
  );
  // The histories are worth something only if they get anywhere.
  expect(Object.entries(seen).filter(([, count]) => count < 10)).toStrictEqual([]);
});
