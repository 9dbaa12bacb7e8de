import { isPulseError } from "@pulse-ts/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { attemptKey, headerKey, nodeKey, scopeKey } from "../record/entry-key.ts";
import { entriesOf } from "../record/fold.ts";
import type { RecordChange, RecordEntry, RunRecord } from "../record/format.ts";
import { errorOf } from "../testing/error-of.ts";
import { sampleDefinition } from "../testing/sample-definition.ts";
import { digestOf, idOf, readyValue, rootAttempt, rootId, skippedValue } from "../testing/sample-record.ts";
import {
  changed,
  child,
  entryAt,
  fetch1,
  fetch2,
  fetchKey,
  fetchRoot,
  gone,
  nodeOf,
  put,
  retryOf,
  score1,
  score2,
  scoreRoot,
  set,
  sumRoot,
  weigh1,
  weigh11,
  weighRoot,
  whole,
} from "../testing/whole-record.ts";
import { chainsOf } from "./chains.ts";
import { checkRecord } from "./check.ts";

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };

const check = (record: RunRecord): void => checkRecord(record, sampleDefinition, call);

function refusal(...changes: readonly RecordChange[]): readonly string[] {
  return errorOf("PULSE_CORRUPT", () => check(changed(...changes))).details.problems ?? [];
}
/** The problems that a check found, none if it passed. Whatever it throws is one of these errors. */
function refusalOf(action: () => void): readonly string[] | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (isPulseError(error, "PULSE_CORRUPT")) return error.details.problems ?? [];
    if (isPulseError(error, "PULSE_INCOMPATIBLE") || isPulseError(error, "PULSE_NEWER_FORMAT")) return [];
    throw error;
  }
}
/** Each change is refused by its place: gives those that are not, with the problems found instead. */
function misnamed(table: readonly (readonly [readonly RecordChange[], string])[]): readonly unknown[] {
  return table
    .map(([changes, place]) => ({ place, found: refusal(...changes) }))
    .filter(({ place, found }) => !found.some((line) => line.includes(place)));
}

test("REC-18 a record with a retry, a void scope and open attempts has no problem", () => {
  expect(() => check(whole)).not.toThrow();
});

test("REC-17 another version, definition or inputs is incompatible, with what was expected and found", () => {
  for (const what of ["version", "definition", "inputs"] as const) {
    const other = { ...call, [what]: digestOf("other") };
    const error = errorOf("PULSE_INCOMPATIBLE", () => checkRecord(whole, sampleDefinition, other));
    expect(error.details).toStrictEqual({
      runId: "run",
      next: "same-definition",
      what,
      expected: call[what],
      found: digestOf("other"),
    });
  }
});

test("D7 REC-17 DUR-4 another definition is told by what was added, removed and changed", () => {
  const definition = digestOf("other");
  const outline = { "order/fetch": "1", "order/score": "2", "order/report": "3" };
  const record = changed(set(headerKey, { outline }));
  const view = { ...sampleDefinition, outline: { "order/fetch": "1", "order/score": "4", "order/print": "3" } };
  const error = errorOf("PULSE_INCOMPATIBLE", () => checkRecord(record, view, { ...call, definition }));
  expect(error.details.differences).toStrictEqual([
    "changed: order/score",
    "removed: order/report",
    "added: order/print",
  ]);
  expect(error.message).toContain("removed: order/report");
});

test("D7 REC-17 without an outline the entries of the record name what the definition lacks", () => {
  const record = changed(put(attemptKey(idOf("9")), rootAttempt("ship")));
  const other = { ...call, definition: digestOf("other") };
  const error = errorOf("PULSE_INCOMPATIBLE", () => checkRecord(record, sampleDefinition, other));
  expect(error.details.differences).toStrictEqual([
    `${attemptKey(idOf("9"))} nodeId: names the node "ship", which the definition does not have`,
  ]);
});

test("REC-17 ids and digests of another form, and another run's record, are corrupt", () => {
  const bad = "A".repeat(32);
  expect(
    misnamed([
      [[set(headerKey, { runId: "other" })], `header runId: is "other", the run is "run"`],
      [[set(headerKey, { rootScope: bad })], "header rootScope: is no id"],
      [[set(headerKey, { definition: "x" })], "header definition: is no SHA-256"],
      [[set(headerKey, { revision: 0 })], "header: revision is no whole number from 1"],
      [[put(scopeKey(bad), child)], `${scopeKey(bad)}: its id has the wrong form`],
      [[put(attemptKey(bad), rootAttempt("report"))], `${attemptKey(bad)}: its id has the wrong form`],
      [[set(scopeKey(score2), { inputs: "x" })], `${scopeKey(score2)} inputs: is no SHA-256`],
    ]),
  ).toStrictEqual([]);
});

test("REC-16 a newer format is refused as such, whatever else is in the record", () => {
  const record = { ...whole, header: { format: 3 } } as unknown as RunRecord;
  const error = errorOf("PULSE_NEWER_FORMAT", () => check(record));
  expect(error.details).toMatchObject({ found: 3, supported: 2, next: "newer-package" });
});

test("REC-2 scopes belong to their mount's attempt and have its graph and path", () => {
  expect(
    misnamed([
      [
        [set(scopeKey(rootId), { inputs: digestOf("other") })],
        `${scopeKey(rootId)} inputs: are not those of the header`,
      ],
      [[gone(scopeKey(rootId))], "header rootScope: names the scope"],
      [[put(attemptKey(rootId), rootAttempt("report"))], "header rootScope: is also the id of an attempt"],
      [[set(scopeKey(rootId), { path: "score" })], `${scopeKey(rootId)} path: of the root scope is not empty`],
      [[put(scopeKey(idOf("9")), child)], `${scopeKey(idOf("9"))}: there is no attempt with its id`],
      [[put(scopeKey(fetch2), child)], `its attempt is of the node "fetch", which is no mount`],
      [[set(scopeKey(score2), { path: "" })], `${scopeKey(score2)} path: is "", its mount stands at "score"`],
      [[set(scopeKey(score2), { graph: "other" })], `${scopeKey(score2)} graph: is "other"`],
      [[put(scopeKey(scoreRoot), child)], "has a child scope, which only the deepest attempt has"],
    ]),
  ).toStrictEqual([]);
});

test("REC-4 only root attempts are confirmed, each with its node", () => {
  expect(
    misnamed([
      [
        [set(attemptKey(fetch2), { state: "confirmed" })],
        `${attemptKey(fetch2)} state: is confirmed, which only a root`,
      ],
      [
        [set(attemptKey(scoreRoot), { state: "confirmed" })],
        `${attemptKey(scoreRoot)} state: is confirmed, but no entry`,
      ],
      [[gone(fetchKey)], `${attemptKey(fetchRoot)} state: is confirmed, but no entry of node "fetch" names it`],
    ]),
  ).toStrictEqual([]);
});

test("REC-5 indices are contiguous from 1, limits agree, every earlier attempt has failed", () => {
  expect(
    misnamed([
      [[set(attemptKey(fetchRoot), { limit: 2 })], `${attemptKey(fetchRoot)} limit: of a root attempt is not 1`],
      [[set(attemptKey(fetchRoot), { index: 2 })], `${attemptKey(fetchRoot)} index: of a root attempt is not 1`],
      [[gone(attemptKey(fetch1))], `${attemptKey(fetch2)} index: is 2, but there is no attempt 1`],
      [
        [set(attemptKey(fetch1), { state: "active" })],
        `${attemptKey(fetch2)} index: is 2, but attempt 1 has not failed`,
      ],
      [[set(attemptKey(fetch2), { index: 3 })], `${attemptKey(fetch2)} index: is 3, but there is no attempt 2`],
      [[set(attemptKey(fetch2), { index: 1 })], "index: 1 is there twice"],
      [[set(attemptKey(fetch2), { index: 4 })], `${attemptKey(fetch2)} index: 4 is over the limit 3`],
      [[set(attemptKey(fetch2), { limit: 4 })], `${attemptKey(fetch2)} limit: is 4, that of the first attempt 3`],
      [[put(attemptKey(idOf("9")), rootAttempt("fetch"))], "index: 1 is there twice"],
      [[set(attemptKey(sumRoot), { parent: idOf("9") })], `${attemptKey(sumRoot)} parent: is the scope`],
    ]),
  ).toStrictEqual([]);
});

test("REC-18 CKPT-20 attempts stand at the retries of the definition, with their limits, inside the retry around", () => {
  const both = [fetch1, fetch2].map((id) => set(attemptKey(id), { limit: 5 }));
  expect(
    misnamed([
      [both, `${attemptKey(fetch1)} limit: is 5, that of the definition 3`],
      [[set(attemptKey(weigh11), { boundary: "7" })], `${attemptKey(weigh11)} boundary: is the retry "7"`],
      [[set(attemptKey(weigh11), { parent: weighRoot })], `${attemptKey(weigh11)} parent: stands at "", not at "1"`],
      [[put(attemptKey(idOf("9")), rootAttempt("ship"))], `names the node "ship", which the definition does not have`],
    ]),
  ).toStrictEqual([]);
});

test("REC-6 parent chains end at the root scope: none missing, none of another node, no cycle", () => {
  expect(
    misnamed([
      [[gone(attemptKey(weigh1))], `${attemptKey(weigh11)} parent: is the attempt ${weigh1}, which is missing`],
      [
        [set(attemptKey(fetch2), { parent: scoreRoot })],
        `${attemptKey(fetch2)} parent: is an attempt of the node "score"`,
      ],
      [[set(attemptKey(weigh1), { parent: weigh11 })], "parent: leads round in a cycle"],
      [[set(attemptKey(score2), { parent: score2 })], `${attemptKey(score2)} parent: leads round in a cycle`],
      [
        [put(scopeKey(scoreRoot), child), set(attemptKey(scoreRoot), { parent: scoreRoot })],
        `${attemptKey(scoreRoot)} parent: leads round in a cycle`,
      ],
    ]),
  ).toStrictEqual([]);
});

test("REC-6 chains of 100,000 attempts, whole or in a cycle, are walked once and without recursion", () => {
  const length = 100_000;
  const id = (at: number): string => `f${at.toString(16).padStart(31, "0")}`;
  const attempts = new Map(
    Array.from({ length }, (_, at) => [id(at), retryOf("deep", at === 0 ? rootId : id(at - 1), 1, 2, "0")]),
  );
  // The last first, so that the first walk goes all the way.
  const record = { ...whole, attempts: new Map([...attempts].toReversed()) };
  const ended = chainsOf(record).scopeOf;
  expect([...new Set(ended.values())]).toStrictEqual([rootId]);
  expect(ended.size).toBe(length);

  record.attempts.set(id(0), retryOf("deep", id(length - 1), 1, 2, "0"));
  const { scopeOf, problems } = chainsOf(record);
  expect(scopeOf.size).toBe(0);
  expect(problems.map(({ problem }) => problem)).toStrictEqual(["leads round in a cycle"]);
});

test("REC-7 a node has its confirmed root attempt and covers what it provides, each once", () => {
  const page = readyValue("page", "text");
  expect(
    misnamed([
      [[set(fetchKey, { nodeId: "report" })], `${fetchKey} nodeId: is "report"`],
      [[set(fetchKey, { attempt: idOf("9") })], `${fetchKey} attempt: ${idOf("9")} is missing`],
      [[set(fetchKey, { attempt: fetch2 })], `${fetchKey} attempt: ${fetch2} is no root attempt of this node`],
      [[set(attemptKey(fetchRoot), { state: "active" })], `${fetchKey} attempt: ${fetchRoot} is active`],
      [[set(attemptKey(fetchRoot), { state: "failed" })], `${fetchKey} attempt: ${fetchRoot} is failed`],
      [[set(fetchKey, { outputs: [] })], `${fetchKey} outputs: "page" is missing`],
      [[set(fetchKey, { outputs: [page, page] })], `${fetchKey} outputs "page": is there twice`],
      [
        [set(fetchKey, { outputs: [page, skippedValue("x")] })],
        `${fetchKey} outputs "x": is no key that the node provides`,
      ],
      [[put(nodeKey(idOf("9"), "fetch"), nodeOf("fetch", fetchRoot, [page]))], `its scope ${idOf("9")} is missing`],
    ]),
  ).toStrictEqual([]);
});

test("REC-8 REC-9 every ready value has the digest of its bytes, those of void scopes too", () => {
  const value = readyValue("page", "text");
  const voidKey = nodeKey(score1, "weigh");
  const content = { digest: digestOf("other"), size: 5 };
  const { name, codec, codecVersion } = value;
  const rest = { name, codec, codecVersion, state: "ready", digest: digestOf("text"), content };
  expect(
    misnamed([
      [
        [set(fetchKey, { outputs: [{ ...value, digest: digestOf("x") }] })],
        `${fetchKey} outputs "page": bytes have the digest`,
      ],
      [[set(fetchKey, { outputs: [{ ...value, digest: "x" }] })], `${fetchKey} outputs "page": digest is no SHA-256`],
      [[set(fetchKey, { outputs: [rest] })], `${fetchKey} outputs "page": content is not named by the value's digest`],
      [
        [set(voidKey, { outputs: [{ ...readyValue("weight", ""), bytes: Uint8Array.of(1) }] })],
        `${voidKey} outputs "weight": bytes have the digest`,
      ],
    ]),
  ).toStrictEqual([]);
  const kept = { ...rest, content: { digest: digestOf("text"), size: 4 } };
  expect(() => check(changed(set(fetchKey, { outputs: [kept] })))).not.toThrow();
});

test("REC-9 DUR-4 another codec or version of it is incompatible, by key", () => {
  const outputs = [{ ...readyValue("page", "text"), codecVersion: "2" }];
  const error = errorOf("PULSE_INCOMPATIBLE", () => check(changed(set(fetchKey, { outputs }))));
  expect(error.details).toMatchObject({
    what: "codec",
    key: "page",
    expected: "string version 2",
    found: "string version 1",
  });
});

test("REC-15 an unpaired surrogate that a store let through is refused", () => {
  expect(
    misnamed([[[set(headerKey, { failure: "\uD800" })], "header: .failure has an unpaired surrogate"]]),
  ).toStrictEqual([]);
});

test("REC-19 what a confirmed node needed is confirmed too, through mounts as well", () => {
  const fetchGone = [gone(fetchKey), set(attemptKey(fetchRoot), { state: "active" })];
  expect(
    misnamed([
      [fetchGone, `${nodeKey(score2, "weigh")}: it needed "text", but the node "fetch" is not confirmed`],
      [fetchGone, `${nodeKey(score1, "weigh")}: it needed "text", but the node "fetch" is not confirmed`],
      [
        [
          gone(nodeKey(score2, "weigh")),
          set(attemptKey(weighRoot), { state: "active" }),
          set(attemptKey(sumRoot), { state: "confirmed" }),
          put(nodeKey(score2, "sum"), nodeOf("sum", sumRoot, [readyValue("total", "1")])),
        ],
        `${nodeKey(score2, "sum")}: it needed "weight", but the node "score/weigh" is not confirmed`,
      ],
    ]),
  ).toStrictEqual([]);
});

test("REC-18 the status is what the root scope says", () => {
  expect(
    misnamed([
      [
        [set(headerKey, { status: "completed" })],
        "header status: is completed, but the root scope's nodes say running",
      ],
      [[set(headerKey, { status: "failed" })], "header status: is failed, but the root scope's nodes say running"],
      [
        [set(attemptKey(scoreRoot), { state: "failed" })],
        "header status: is running, but the root scope's nodes say failed",
      ],
    ]),
  ).toStrictEqual([]);
});

test("REC-18 REC-16 an entry with any field replaced passes or is refused by its place, and nothing else is thrown", () => {
  const keys = entriesOf(whole).map(({ key }) => key);
  const values = fc.oneof(
    fc.constantFrom<unknown>("", "0", rootId, fetch1, score2, "failed", "confirmed", "completed", 0, 1, 2, -1, null),
    fc.anything({ maxDepth: 2 }),
  );
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.nat(20), values, (key, pick, value) => {
      const fields = Object.keys(entryAt(whole, key) ?? {});
      const field = fields[pick % fields.length] as string;
      const found = refusalOf(() => check(changed(set(key, { [field]: value }))));
      if (found === undefined) return;
      refused += 1;
      expect(found.filter((line) => !/^(header|scope|node|attempt)\b.*: ./.test(line))).toStrictEqual([]);
    }),
    { seed: 5, numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(1000);
});

test("REC-18 whole entries that are no objects, or stand under keys that no entry has, are refused", () => {
  fc.assert(
    fc.property(fc.constantFrom("scope", "node", "attempt"), fc.string(), fc.anything(), (kind, ids, entry) => {
      errorOf("PULSE_CORRUPT", () => check(changed(put(`${kind}/${ids}`, entry as RecordEntry))));
    }),
    { seed: 6, numRuns: 300 },
  );
  expect(refusal(put(`node/${rootId}`, {}))).toContain(`node/${rootId}: no entry can have this key`);
});
