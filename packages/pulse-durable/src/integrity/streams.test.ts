import { expect, test } from "vitest";
import { attemptKey, headerKey, managedKey, messageKey, nodeKey, streamKey } from "../record/entry-key.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import { errorOf } from "../testing/error-of.ts";
import { digestOf, idOf, rootId, skippedValue } from "../testing/sample-record.ts";
import { streamDefinition } from "../testing/stream-definition.ts";
import { entryAt, gone, put } from "../testing/whole-record.ts";
import {
  again2,
  boxRoot,
  changedStreams,
  descriptor,
  gen1,
  handleRoot,
  handleTry,
  innerId,
  items1,
  items2,
  logId,
  makeRoot,
  readRoot,
  ready,
  rowsId,
  setIn,
  tailRoot,
  wholeStreams,
} from "../testing/whole-streams.ts";
import { checkRecord, checkRecordAlone } from "./check.ts";

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };
const check = (record: RunRecord): void => checkRecord(record, streamDefinition, call);

const handle = streamKey(rowsId, "handle");
const shared = streamKey(rowsId, "shared/1");
const host = streamKey(rowsId, "host");
const rowsGroups = [handle, shared, host];
const log = streamKey(logId, "tail");
const use = streamKey(innerId, "box/use");
const last = streamKey(innerId, "last");
const managed = managedKey(rootId, handleRoot, "handle");
const box = nodeKey(rootId, "box");
const make = nodeKey(boxRoot, "make");
const nobody = idOf("9");

const inAll = (keys: readonly string[], fields: object): readonly RecordChange[] =>
  keys.map((key) => setIn(key, fields));
const failedRead = [setIn(attemptKey(readRoot), { state: "failed" }), setIn(headerKey, { status: "failed" })];
const moved = (from: string, to: string): readonly RecordChange[] => [
  gone(from),
  put(to, entryAt(wholeStreams, from) ?? {}),
];

/** What breaks one rule each: the rules, the changes, and the place and problem that are told. */
const damages: readonly (readonly [rules: string, changes: readonly RecordChange[], told: string])[] = [
  ["REC-11", [setIn(handle, { sourceId: nobody })], `${handle} sourceId: is "${nobody}"`],
  ["REC-11", [setIn(handle, { group: "host" })], `${handle} group: is "host"`],
  ["REC-11", moved(log, streamKey("x", "tail")), `${streamKey("x", "tail")} sourceId: has the wrong form`],
  ["REC-11", [setIn(log, { scope: nobody })], `${log} scope: ${nobody} is missing`],
  ["REC-11 REC-29", [setIn(log, { attempt: nobody })], `${log} attempt: ${nobody} is missing`],
  [
    "REC-11 REC-29",
    [setIn(log, { attempt: tailRoot })],
    `${log} attempt: ${tailRoot} is no root attempt of the node "read"`,
  ],
  [
    "REC-11",
    [setIn(log, { nodeId: "handle", attempt: handleRoot })],
    `${log} key: "log" is no stream that the node "handle" writes`,
  ],
  ["REC-11", [setIn(log, { key: "other" })], `${log} key: "other" is no stream that the node "read" writes`],
  ["REC-11", [setIn(log, { capacity: 5 })], `${log} capacity: is 5, that of the definition 4`],
  ["REC-11", [setIn(log, { resumable: false })], `${log} resumable: is false, that of the definition true`],
  [
    "REC-11 STR-5",
    [gone(log), put(streamKey(logId, "x"), { ...entryAt(wholeStreams, log), group: "x" })],
    `${log}: is missing, but the node "tail" reads in this group`,
  ],
  [
    "REC-11 STR-12",
    [put(streamKey(nobody, "tail"), { ...entryAt(wholeStreams, log), sourceId: nobody })],
    `sourceId: is another than ${logId}`,
  ],
  ["REC-11 STR-2", [setIn(log, { cursor: ready("log", "1") })], `${log} cursor: is there, but no message`],
  ["REC-11", inAll(rowsGroups, { cursor: ready("log", "at 5") }), `${handle} cursor: is named "log"`],
  ["REC-11", [setIn(log, { generation: 0 })], `${log}: generation is no whole number from 1`],
  ["REC-29 STR-21", inAll(rowsGroups, { generation: 3 }), `${handle} generation: 3 is from the future`],
  [
    "REC-20",
    [setIn(handle, { ackedThrough: 6, pending: [] })],
    `${handle} ackedThrough: 6 is not from 0 to the last sequence 5`,
  ],
  [
    "REC-20",
    [
      setIn(handle, {
        pending: [
          [3, 3],
          [5, 6],
        ],
      }),
    ],
    `${handle} pending: [5, 6] is out of order`,
  ],
  [
    "REC-20",
    [
      setIn(handle, {
        pending: [
          [5, 5],
          [3, 3],
        ],
      }),
    ],
    `${handle} pending: [3, 3] is out of order`,
  ],
  [
    "REC-20",
    [
      setIn(handle, {
        pending: [
          [3, 4],
          [5, 5],
        ],
      }),
    ],
    `${handle} pending: [5, 5] is out of order`,
  ],
  [
    "REC-20",
    [
      setIn(handle, {
        pending: [
          [2, 3],
          [5, 5],
        ],
      }),
    ],
    `${handle} pending: [2, 3] is out of order, or not above 2`,
  ],
  ["REC-20", [setIn(handle, { pending: [] })], `${handle} pending: begins with nothing, where the frontier says 3`],
  ["REC-20", [setIn(handle, { ackedThrough: 5 })], `${handle} pending: [3, 3] is out of order`],
  ["REC-20 STR-9", [setIn(host, { pending: [[4, 5]] })], `${host} pending: has something, but the group has stopped`],
  ["REC-29", [setIn(shared, { generation: 1 })], `${shared} generation: is 1, that of the group "handle" 2`],
  ["REC-29", [setIn(host, { lastSequence: 6 })], `${host} lastSequence: is 6, that of the group "handle" 5`],
  ["REC-29", [setIn(shared, { end: "failed" })], `${shared} end: is failed, that of the group "handle" open`],
  ["REC-29", [setIn(shared, { cursor: ready("rows", "at 4") })], `${shared} cursor: is not that of the group "handle"`],
  [
    "REC-29 REC-31",
    [gone(messageKey(rowsId, 4))],
    `${messageKey(rowsId, 4)}: is missing, but some group has it pending`,
  ],
  [
    "REC-29 REC-31",
    moved(messageKey(rowsId, 4), messageKey(rowsId, 2)),
    `${messageKey(rowsId, 2)}: no group of its stream has it pending`,
  ],
  [
    "REC-29",
    moved(messageKey(rowsId, 4), messageKey(nobody, 4)),
    `${messageKey(nobody, 4)}: the record has no stream ${nobody}`,
  ],
  ["REC-29", moved(messageKey(rowsId, 4), `message/${rowsId}/04`), `message/${rowsId}/04: "04" is no sequence`],
  [
    "REC-29",
    [setIn(messageKey(rowsId, 4), { value: ready("log", "x") })],
    `${messageKey(rowsId, 4)} value: is named "log"`,
  ],
  [
    "REC-21 STR-50",
    [...inAll(rowsGroups, { end: "failed" }), setIn(log, { end: "completed" })],
    `${log} end: is completed, but that of "rows" under the same root attempt is failed`,
  ],
  [
    "REC-21 STR-50",
    [...inAll(rowsGroups, { end: "failed" }), setIn(log, { end: "canceled" })],
    `${log} end: is canceled, but that of "rows"`,
  ],
  ["REC-21 STR-34", [setIn(log, { end: "completed" })], `${log} end: is completed, but its node is not confirmed`],
  ["REC-21 STR-34", inAll([use, last], { end: "open" }), `${use} end: is open, but its node is confirmed`],
  ["REC-21 STR-25", failedRead, `${handle} end: is open, but its root attempt has failed`],
  ["REC-21 STR-25", [setIn(log, { end: "canceled" })], `${log} end: is canceled, but its root attempt is active`],
  [
    "REC-21 STR-38",
    [setIn(make, { outputs: [skippedValue("inner")] })],
    `${make} outputs "inner": does not name ${innerId}`,
  ],
  [
    "STR-51",
    [setIn(make, { outputs: [descriptor("inner", { end: "failed" })] })],
    `${make} outputs "inner": end is failed, but a confirmed node`,
  ],
  [
    "STR-51",
    [setIn(make, { outputs: [descriptor("inner", { end: "canceled" })] })],
    `${make} outputs "inner": end is canceled, but a confirmed node`,
  ],
  [
    "STR-51",
    [setIn(box, { outputs: [descriptor("out", { end: "canceled" })] })],
    `${box} outputs "out": end is canceled, which no confirmed mount`,
  ],
  [
    "STR-12 STR-27",
    [setIn(box, { outputs: [descriptor("out", { end: "failed" })] })],
    `${box} outputs "out": end is failed, that of the stream completed`,
  ],
  [
    "REC-10",
    [setIn(box, { outputs: [descriptor("out", { sourceId: nobody })] })],
    `${box} outputs "out": the record has no stream ${nobody}`,
  ],
  [
    "REC-10 REC-29",
    [setIn(box, { outputs: [descriptor("out", { attempt: boxRoot })] })],
    `${box} outputs "out": attempt is ${boxRoot}`,
  ],
  [
    "REC-10",
    [setIn(box, { outputs: [descriptor("out", { capacity: 3 })] })],
    `${box} outputs "out": capacity is 3, that of the stream 4`,
  ],
  [
    "REC-10 STR-27",
    [setIn(box, { outputs: [descriptor("out", { sourceId: logId, attempt: readRoot, end: "completed" })] })],
    `${box} outputs "out": names the stream ${logId}, which is not the one`,
  ],
  [
    "REC-10",
    [setIn(make, { outputs: [descriptor("inner", { sourceId: logId, attempt: readRoot })] })],
    `${make} outputs "inner": names the stream ${logId}, which the node has not opened`,
  ],
  [
    "REC-10",
    [setIn(box, { outputs: [ready("out", "x")] })],
    `${box} outputs "out": is a plain value, where the key is a stream`,
  ],
  [
    "REC-12",
    [gone(handleTry(3, 2)), put(handleTry(3, 3), { limit: 3, state: "active" })],
    `${handleTry(3, 3)}: there is no try 2`,
  ],
  ["REC-12", [setIn(handleTry(3, 2), { limit: 4 })], `${handleTry(3, 2)} limit: is 4, that of the try before 3`],
  ["REC-12", [setIn(handleTry(2, 2), { limit: 1 })], `${handleTry(2, 2)} limit: is 1, below the index`],
  [
    "REC-12",
    [setIn(handleTry(3, 1), { state: "active" })],
    `${handleTry(3, 1)} state: is active, but there is a later try`,
  ],
  ["REC-12", moved(handleTry(3, 2), `${handleTry(3, 2)}x`), `${handleTry(3, 2)}x: "2x" is no index`],
  ["REC-12", moved(handleTry(4, 1), handleTry(6, 1)), `${handleTry(6, 1)}: its stream's last sequence is 5`],
  [
    "REC-12",
    moved(handleTry(4, 1), handleTry(4, 1).replace(rowsId, nobody)),
    `/4/handle/${handleRoot}/1: the record has no such group of the stream ${nobody}`,
  ],
  [
    "REC-12 STR-39",
    moved(handleTry(4, 1), handleTry(4, 1).replace(handleRoot, readRoot)),
    `: ${readRoot} is no root attempt of the node "handle"`,
  ],
  [
    "REC-12 STR-24",
    moved(handleTry(4, 1), handleTry(4, 1).replace("handle/", "host/")),
    `the node "handle" does not read "rows" in the group "host"`,
  ],
  [
    "REC-14",
    [setIn(handleTry(3, 2), { state: "confirmed" })],
    `${handleTry(3, 2)} state: is confirmed, but its group has the message pending`,
  ],
  ["REC-22", [gone(managed)], `${handleTry(2, 2)} state: is confirmed, but there is no ${managed}`],
  ["REC-22", [gone(handleTry(2, 2)), gone(handleTry(4, 1))], `${managed}: no message of its node is confirmed`],
  [
    "REC-13 REC-22",
    [put(managedKey(rootId, readRoot, "handle"), { values: [] })],
    `${managedKey(rootId, readRoot, "handle")}: ${readRoot} is no root attempt of the node "handle"`,
  ],
  ["REC-13", [setIn(managed, { state: ready("total", "2") })], `${managed} state: is named "total"`],
  [
    "REC-13 STR-52",
    [setIn(managed, { values: [ready("total", "1"), ready("total", "2")] })],
    `${managed} values "total": is there twice`,
  ],
  [
    "REC-13 STR-52",
    [setIn(managed, { values: [ready("other", "1")] })],
    `${managed} values "other": is no key that the node provides`,
  ],
  ["REC-13 STR-52", [setIn(managed, { values: [descriptor("total")] })], `${managed}: values.0 is a stream`],
  [
    "REC-9",
    [setIn(messageKey(rowsId, 4), { value: { ...ready("rows", "x"), digest: digestOf("y") } })],
    `${messageKey(rowsId, 4)} value: bytes have the digest`,
  ],
  [
    "REC-9",
    inAll(rowsGroups, { cursor: { ...ready("rows", "x"), digest: digestOf("y") } }),
    `${handle} cursor: bytes have the digest`,
  ],
  [
    "REC-9",
    [setIn(managed, { state: { ...ready("", "x"), digest: digestOf("y") } })],
    `${managed} state: bytes have the digest`,
  ],
  [
    "REC-9",
    [setIn(managed, { values: [{ ...ready("total", "x"), digest: "x" }] })],
    `${managed} values "total": digest is no SHA-256`,
  ],
  [
    "REC-9",
    [setIn(messageKey(items1, 1), { value: { ...ready("items", "x"), digest: digestOf("y") } })],
    `${messageKey(items1, 1)} value: bytes have the digest`,
  ],
  [
    "REC-20",
    [setIn(streamKey(items1, "again/eat"), { pending: [] })],
    `${streamKey(items1, "again/eat")} pending: begins with nothing`,
  ],
];

test("REC-11 REC-20 REC-29 a record with open, completed and void streams, gaps, tries and a state has no problem", () => {
  expect(() => check(wholeStreams)).not.toThrow();
  expect(() => checkRecordAlone(wholeStreams, { runId: "run" })).not.toThrow();
});

test.each(damages)(
  "REC-10 REC-11 REC-12 REC-13 REC-20 REC-21 REC-22 REC-29 STR-25 STR-51 STR-52 damaged streams are refused by their place: %s (%#)",
  (_rules, changes, told) => {
    const { problems = [] } = errorOf("PULSE_CORRUPT", () => check(changedStreams(...changes))).details;
    // All of them when none is the right one, to be read in a failing test.
    expect(problems.some((line) => line.includes(told)) ? [told] : problems).toStrictEqual([told]);
  },
);

test("REC-9 DUR-4 another codec of a message, a position or a contributed value is incompatible, by its key", () => {
  const other = (name: string) => ({ ...ready(name, "x"), codecVersion: "2" });
  const table: readonly (readonly [readonly RecordChange[], string])[] = [
    [[setIn(messageKey(rowsId, 4), { value: other("rows") })], "rows"],
    [inAll(rowsGroups, { cursor: other("rows") }), "rows"],
    [[setIn(managed, { values: [other("total")] })], "total"],
    [[setIn(box, { outputs: [{ ...descriptor("out"), codecVersion: "2" }] })], "out"],
  ];
  for (const [changes, key] of table) {
    const { details } = errorOf("PULSE_INCOMPATIBLE", () => check(changedStreams(...changes)));
    expect(details).toMatchObject({ what: "codec", key, expected: "string version 2", found: "string version 1" });
  }
  // How a state is declared is no part of the definition.
  expect(() => check(changedStreams(setIn(managed, { state: other("") })))).not.toThrow();
});

/** A reference of a mount that was confirmed while the source still wrote. */
const endless = {
  ...descriptor("out"),
  stream: { sourceId: innerId, attempt: makeRoot, capacity: 4 },
};

/** What is found sound: each is a history that a run can have. */
const sound: readonly (readonly [string, readonly RecordChange[]])[] = [
  ["STR-26 REC-21 some failed ends under an active root are repairable", inAll(rowsGroups, { end: "failed" })],
  ["STR-25 REC-21 a failed root has failed ends", [...failedRead, ...inAll([...rowsGroups, log], { end: "failed" })]],
  ["STR-35 a mount's reference without an end", [setIn(box, { outputs: [endless] })]],
  ["STR-38 a mount's skipped stream", [setIn(box, { outputs: [skippedValue("out")] })]],
  ["STR-9 REC-20 a stopped group wherever its frontier stands", [setIn(host, { ackedThrough: 5 })]],
  ["REC-22 neither state nor values make a managed record too", [put(managed, { values: [] })]],
  ["REC-22 STR-7 a manual acknowledgement makes no try", [gone(handleTry(4, 1))]],
  ["STR-29 REC-12 of the confirmed tries only the newest is there", [gone(handleTry(2, 2))]],
  ["REC-30 a later generation", [setIn(headerKey, { resumes: 9 }), ...inAll(rowsGroups, { generation: 10 })]],
  [
    "REC-30 a later failure of what is around a confirmed try",
    [setIn(attemptKey(handleRoot), { state: "failed" }), setIn(headerKey, { status: "failed" })],
  ],
  ["REC-21 a canceled end that is void", [setIn(streamKey(items1, "again/eat"), { end: "canceled" })]],
  ["REC-21 STR-50 a failed end that is void", [setIn(streamKey(items1, "again/eat"), { end: "failed" })]],
  [
    "STR-27 a mount's reference to a stream that has failed",
    [
      setIn(attemptKey(makeRoot), { state: "failed" }),
      gone(make),
      ...inAll([use, last], { end: "failed" }),
      setIn(box, { outputs: [descriptor("out", { end: "failed" })] }),
    ],
  ],
];

test.each(sound)("REC-22 REC-30 STR-26 STR-27 STR-35 what a run can have is no damage: %s", (_title, changes) => {
  expect(() => check(changedStreams(...changes))).not.toThrow();
});

test("REC-29 a pending run of very many sequences is refused without counting them", () => {
  const far = 2 ** 52;
  const fields = { lastSequence: far, ackedThrough: 2, pending: [[3, far]], stopped: false };
  const { problems } = errorOf("PULSE_CORRUPT", () => check(changedStreams(...inAll(rowsGroups, fields)))).details;
  expect(problems).toContain(`${messageKey(rowsId, 6)}: is missing, but some group has it pending`);
});

test.each(["lastSequence", "generation"])(
  "REC-11 REC-17 a %s that cannot be counted up any more is damage",
  (field) => {
    const far = changedStreams(...inAll(rowsGroups, { [field]: 2 ** 52 + 1 }));
    const { message } = errorOf("PULSE_CORRUPT", () => check(far));
    expect(message).toContain(`${handle}: ${field} is no whole number`);
  },
);

test("REC-11 STR-12 streams of two instances of one graph are two streams", () => {
  const alike = changedStreams(setIn(streamKey(items2, "again/eat"), { scope: again2, attempt: gen1 }));
  const { where } = errorOf("PULSE_CORRUPT", () => check(alike)).details;
  expect(where).toBe(`${streamKey(items2, "again/eat")} attempt`);
});
