import { expect, test } from "vitest";
import { attemptKey, headerKey, nodeKey, scopeKey } from "../record/entry-key.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import { inputsFingerprint } from "../runtime/fingerprint.ts";
import { errorOf } from "../testing/error-of.ts";
import { sampleDefinition } from "../testing/sample-definition.ts";
import { digestOf, idOf, readyValue, rootAttempt, rootId, sampleRecord } from "../testing/sample-record.ts";
import {
  changed,
  child,
  fetchKey,
  fetchRoot,
  gone,
  nodeOf,
  put,
  score1,
  score2,
  scoreRoot,
  set,
  weigh1,
  weigh11,
  weighRoot,
  whole,
} from "../testing/whole-record.ts";
import { checkRecord, checkRecordAlone } from "./check.ts";

const given = new Map([["url", { name: "url", state: "ready", fingerprint: digestOf("u") } as const]]);
const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs"), given };
const check = (record: RunRecord): void => checkRecord(record, sampleDefinition, call);

/** Each damage is refused by its place: gives those that are not, with what was found instead. */
function misnamed(table: readonly (readonly [readonly RecordChange[], string])[]): readonly unknown[] {
  return table
    .map(([changes, place]) => ({
      place,
      found: errorOf("PULSE_CORRUPT", () => check(changed(...changes))).details.problems ?? [],
    }))
    .filter(({ place, found }) => !found.some((line) => line.includes(place)));
}

test("REC-2 a child scope stands at the deepest attempt of its mount", () => {
  // One retry around the mount: its own attempt is the deepest.
  expect(
    misnamed([
      [
        [gone(scopeKey(score2)), put(scopeKey(scoreRoot), child)],
        `${attemptKey(scoreRoot)} boundary: is "", but a child scope stands at "0"`,
      ],
    ]),
  ).toStrictEqual([]);
});

test("CKPT-23 REC-3 a scope with stable bindings has the fingerprint of its mount, void ones too", () => {
  for (const scope of [score1, score2]) {
    const record = changed(set(scopeKey(scope), { inputs: digestOf("other") }));
    const error = errorOf("PULSE_INCOMPATIBLE", () => check(record));
    expect(error.details).toMatchObject({ what: "scope", scope, path: "score", key: "text, scale" });
    expect(error.details).toMatchObject({ expected: digestOf("other"), found: digestOf("child") });
    expect(error.message).toContain(`${scopeKey(scope)} inputs: (text, scale) are not those`);
  }
});

/** The fingerprint of `score`'s inputs by their values, as scopes without stable bindings keep it. */
const older = (text: string): string =>
  inputsFingerprint([
    { name: "text", state: "ready", fingerprint: digestOf(text) },
    { name: "scale", state: "ready", fingerprint: digestOf("2") },
    { name: "hint", state: "skipped" },
  ]);

test("REC-3 a scope without stable bindings keeps the fingerprint of its input values, which the record tells", () => {
  const bound = (inputs: string) => [score1, score2].map((id) => set(scopeKey(id), { bindings: false, inputs }));
  expect(() => check(changed(...bound(older("text"))))).not.toThrow();
  const error = errorOf("PULSE_INCOMPATIBLE", () => check(changed(...bound(older("other")))));
  expect(error.details).toMatchObject({ what: "scope", scope: score1, path: "score" });
  // Without the call's root inputs, what they decide cannot be checked; here they decide nothing.
  const { given: _, ...without } = call;
  expect(() => checkRecord(changed(...bound(older("text"))), sampleDefinition, without)).not.toThrow();
});

test("REC-3 a scope that was opened with values that are not confirmed is corrupt", () => {
  const record = sampleRecord({
    scopes: { [score1]: { ...child, bindings: false, inputs: older("text") } },
    attempts: {
      [scoreRoot]: rootAttempt("score"),
      [score1]: rootAttempt("score", { parent: scoreRoot, boundary: "0", limit: 2 }),
    },
  });
  const error = errorOf("PULSE_CORRUPT", () => check(record));
  expect(error.details.where).toBe(`${scopeKey(score1)} inputs`);
  expect(error.message).toContain("are not all confirmed in the scope around");
});

test("REC-3 REC-2 the root scope has no mount to bind it", () => {
  expect(
    misnamed([
      [[set(scopeKey(rootId), { bindings: true })], `${scopeKey(rootId)} bindings: of the root scope is true`],
    ]),
  ).toStrictEqual([]);
});

test("REC-7 CKPT-24 a skipped node has nothing ready", () => {
  expect(
    misnamed([
      [[set(fetchKey, { reason: "skipped" })], `${fetchKey} outputs "page": is ready, but the node was skipped`],
    ]),
  ).toStrictEqual([]);
});

test("REC-10 REC-18 nothing of streams stands in the record of a definition that has none", () => {
  const { name, codec, codecVersion } = readyValue("page", "");
  const stream = { sourceId: idOf("7"), attempt: fetchRoot, capacity: 1 };
  const outputs = [{ name, codec, codecVersion, state: "stream" as const, stream }];
  const source = idOf("7");
  const page = readyValue("page", "");
  const group = {
    scope: rootId,
    nodeId: "fetch",
    key: "page",
    group: "g",
    sourceId: source,
    attempt: fetchRoot,
    generation: 1,
    capacity: 1,
    resumable: true,
    lastSequence: 0,
    ackedThrough: 0,
    pending: [],
    stopped: false,
    end: "open",
  };
  expect(
    misnamed([
      [[set(fetchKey, { outputs })], `${fetchKey} outputs "page": is a stream, where the key is a plain value`],
      [[put(`stream/${source}/g`, group)], `stream/${source}/g key: "page" is no stream that the node "fetch" writes`],
      [[put(`message/${source}/1`, { value: page })], `message/${source}/1: the record has no stream ${source}`],
      [[put(`try/${source}/g/1/n/${scoreRoot}/1`, { limit: 1, state: "active" })], `the record has no such group`],
      [[put(`managed/${rootId}/${fetchRoot}/fetch`, { values: [] })], "no message of its node is confirmed"],
      [[put(`stream/${source}/g`, { sourceId: source })], `stream/${source}/g: scope is missing`],
    ]),
  ).toStrictEqual([]);
});

test("REC-19 what a node that was tried needed is confirmed, as it was when it was tried", () => {
  const weighGone = [gone(nodeKey(score2, "weigh")), ...[weighRoot, weigh1, weigh11].map((id) => gone(attemptKey(id)))];
  expect(misnamed([[weighGone, `it needed "weight", but the node "score/weigh" is not confirmed`]])).toStrictEqual([]);
});

test("REC-17 header fields that contradict each other, or cannot go on, are corrupt", () => {
  const max = Number.MAX_SAFE_INTEGER;
  expect(
    misnamed([
      [[set(headerKey, { failure: "text" })], "header failure: is there, but the run is running"],
      [[set(headerKey, { keyIds: ["k", "k"] })], "header keyIds: names one twice"],
      [[set(headerKey, { keyIds: [""] })], "header keyIds: has an empty one"],
      [[set(headerKey, { keyIds: ["k"], codecKeys: { a: "k", b: "l" } })], "header codecKeys: names a key that keyIds"],
      [[set(headerKey, { codecKeys: { a: "k" } })], "header codecKeys: names a key that keyIds"],
      [[set(headerKey, { codecKeys: { a: 1 } })], "header: codecKeys is no table of texts"],
      [[set(headerKey, { resumes: max })], "header resumes: cannot be counted up any more"],
      [[set(headerKey, { revision: max })], "header revision: cannot be counted up any more"],
      [[set(headerKey, { outline: ["a"] })], "header: outline is no table of texts"],
      [[set(headerKey, { attempts: {} })], "header: attempts is no field of this entry"],
    ]),
  ).toStrictEqual([]);
});

test("REC-18 what a custom store gives in place of a record is refused, whatever it is", () => {
  const { header } = whole;
  const odd: readonly unknown[] = [
    undefined,
    null,
    "text",
    {},
    { header: null },
    { header },
    { ...whole, header: undefined },
    { ...whole, attempts: {} },
    { ...whole, nodes: [] },
    { ...whole, streams: undefined },
    { ...whole, scopes: new Map<unknown, unknown>([[1, null]]) },
  ];
  for (const record of odd) errorOf("PULSE_CORRUPT", () => check(record as RunRecord));
  expect(odd).toHaveLength(11);
});

test("REC-26 without a definition a record is checked as far as it tells by itself", () => {
  const alone = (record: RunRecord): void => checkRecordAlone(record, { runId: "run", doing: "exporting" });
  expect(() => alone(whole)).not.toThrow();
  expect(() => alone(changed(set(scopeKey(score2), { graph: "other", inputs: digestOf("x") })))).not.toThrow();
  const damages: readonly (readonly [RecordChange, string])[] = [
    [gone(attemptKey(weigh1)), `${attemptKey(weigh11)} parent`],
    [set(attemptKey(weigh1), { parent: weigh11 }), `${attemptKey(weigh1)} parent`],
    [set(fetchKey, { outputs: [readyValue("page", "a"), readyValue("page", "a")] }), `${fetchKey} outputs "page"`],
    [set(attemptKey(scoreRoot), { state: "failed" }), "header status"],
    [set(headerKey, { status: "failed" }), "header status"],
    [put(nodeKey(idOf("9"), "n"), nodeOf("n", fetchRoot, [])), nodeKey(idOf("9"), "n")],
  ];
  for (const [damage, place] of damages) {
    const error = errorOf("PULSE_CORRUPT", () => alone(changed(damage)));
    expect(error.message).toContain('exporting run "run"');
    expect(error.details.problems?.filter((line) => line.startsWith(place))).not.toStrictEqual([]);
  }
});

test("REC-6 REC-18 a record whose attempts stand 100,000 deep is checked without recursion, whole or going round", () => {
  const length = 100_000;
  const id = (at: number): string => `f${at.toString(16).padStart(31, "0")}`;
  const attempts = Object.fromEntries(
    Array.from({ length }, (_, at) => {
      const outer = { parent: id(at - 1), boundary: "0", limit: 2 };
      return [id(at), rootAttempt("deep", at === 0 ? {} : outer)];
    }),
  );
  const alone = (record: RunRecord): void => checkRecordAlone(record, { runId: "run" });
  expect(() => alone(sampleRecord({ attempts }))).not.toThrow();
  const round = { ...attempts, [id(0)]: rootAttempt("deep", { parent: id(length - 1), boundary: "0", limit: 2 }) };
  const error = errorOf("PULSE_CORRUPT", () => alone(sampleRecord({ attempts: round })));
  expect(error.details.problems).toStrictEqual([
    expect.stringMatching(/^attempt\/f.* parent: leads round in a cycle$/),
  ]);
});

test("REC-18 of very many problems the first are listed, and how many more there are", () => {
  const length = 130_000;
  const attempts = Object.fromEntries(
    Array.from({ length }, (_, at) => [at.toString(16).padStart(32, "f"), rootAttempt("n", { parent: idOf("9") })]),
  );
  const error = errorOf("PULSE_CORRUPT", () => checkRecordAlone(sampleRecord({ attempts }), { runId: "run" }));
  expect(error.details.problems).toHaveLength(51);
  expect(error.details.problems?.at(-1)).toMatch(/^and \d+ more$/);
  expect(error.message.length).toBeLessThan(1_000);
});
