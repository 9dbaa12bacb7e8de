import { attemptKey, headerKey, nodeKey, scopeKey } from "@pulse-ts/durable";
import type { Header, RecordChanges } from "@pulse-ts/durable";
import type { Bench } from "../bench.ts";
import { encodedValues } from "../data/encoded-values.ts";
import { refused } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { firstChanges, folded, idOf, put, readyValue, rootId, sampleRun, saveStep } from "../sample-run.ts";

/** What comes back is what was saved, byte for byte (KIT-5). */
export const values: readonly Requirement[] = [
  {
    id: "KIT-5.nul",
    rule: "KIT-5",
    title: "NUL in a text comes back, wherever the text stands",
    check: (bench) => comesBack(bench, runWith("a\0b\0")),
  },
  {
    id: "KIT-5.own-names",
    rule: "KIT-5",
    title: "`__proto__`, `constructor` and the like are keys and ids as any other",
    async check(bench) {
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
        await comesBack(bench, runWith(name));
      }
    },
  },
  {
    id: "KIT-5.key-spelling",
    rule: "KIT-5",
    title: "dotted and camel-cased keys, keys with $, quotes and blanks come back as they are spelled",
    async check(bench) {
      for (const name of [
        "a.b.c",
        "camelCase",
        "snake_case",
        "$set",
        "a'b\"c`",
        " blank ",
        "0",
        "A",
        "x/y%z",
        "100%",
      ]) {
        await comesBack(bench, runWith(name));
      }
    },
  },
  {
    id: "KIT-5.unicode",
    rule: "KIT-5",
    title: "text comes back unit by unit: not normalised, not folded, not trimmed",
    async check(bench) {
      for (const text of [
        "e\u0301\u00E9",
        "😀\u{10FFFF}",
        "\uFEFFbegin",
        "\u2028\u2029\u0085",
        "\r\n\t ",
        "İıẞß",
        "\uFFFF",
      ]) {
        await comesBack(bench, runWith(text));
      }
    },
  },
  {
    id: "KIT-5.long",
    rule: "KIT-5",
    title: "long ids and long texts come back whole",
    check: (bench) => comesBack(bench, { ...runWith("long/".repeat(4000)), runId: "run" }),
  },
  {
    id: "KIT-5.plain-data",
    rule: "KIT-5",
    title: "fields of the header that the store does not know come back: numbers, lists, tables, null",
    async check(bench) {
      const field = {
        whole: Number.MAX_SAFE_INTEGER,
        tiny: 5e-324,
        big: 1.7976931348623157e308,
        part: 0.1,
        below: -7,
        lists: [[], [null, true, false, ["deep", { er: {} }]]],
        empty: {},
        "": "no name",
        digits: { 10: "b", 9: "a", "01": "c" },
      };
      await comesBack(bench, { header: { later: field } });
    },
  },
  {
    id: "KIT-5.empty-bytes",
    rule: "KIT-5",
    title: "a value of no bytes comes back ready and with its digest, not skipped",
    check: (bench) => comesBack(bench, { changes: nodesWith([new Uint8Array()]) }),
  },
  {
    id: "KIT-5.each-byte",
    rule: "KIT-5",
    title: "bytes come back byte for byte: each of the 256, zeros at the end, and what looks like text of some kind",
    async check(bench) {
      const looksLike = ["\\x4142", "dGV4dA==", '{"a":1}', "null", "\uFEFF<xml/>", "a\r\nb\r\n", "  padded  "];
      await comesBack(bench, {
        changes: nodesWith([
          Uint8Array.from({ length: 256 }, (_, at) => at),
          new Uint8Array(300),
          Uint8Array.of(0),
          Uint8Array.of(1, 2, 3, 0, 0, 0),
          Uint8Array.of(0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80),
          ...looksLike.map((text) => new Uint8Array(Buffer.from(text))),
        ]),
      });
    },
  },
  {
    id: "KIT-5.part-of-buffer",
    rule: "KIT-5",
    title: "bytes that are a part of a bigger buffer come back alone",
    async check(bench) {
      const big = Uint8Array.from({ length: 1000 }, (_, at) => at % 251);
      await comesBack(bench, { changes: nodesWith([big.subarray(100, 200), Buffer.from(big.buffer, 7, 11)]) });
    },
  },
  {
    id: "KIT-5.big-bytes",
    rule: "KIT-5",
    title: "16 MiB of bytes come back byte for byte",
    async check(bench) {
      const bytes = new Uint8Array(16 * 1024 * 1024);
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 31 + (at >>> 13)) & 255;
      await comesBack(bench, { changes: nodesWith([bytes]) });
    },
  },
  {
    id: "KIT-5.encoded",
    rule: "KIT-5",
    title: "what every built-in codec writes comes back byte for byte, with codec and version",
    check: (bench) =>
      comesBack(bench, {
        changes: encodedValues.flatMap(({ name, codec, codecVersion, bytes }, at) =>
          nodeWith(at, name, new Uint8Array(Buffer.from(bytes, "base64")), { codec, codecVersion }),
        ),
      }),
  },
  {
    id: "KIT-5.ill-formed",
    rule: "REC-15",
    title: "a text with an unpaired surrogate is refused, and nothing of its save is kept",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveStep(session, run, 1);
      const header: Header = { ...run.at(1).header, revision: 2, failure: "\uD800" };
      const changes = [...run.changesTo(2), put(headerKey, header)];
      await refused("PULSE_USAGE", "saving a text with an unpaired surrogate", () =>
        session.save({ ...run.at(2), header }, 1, changes),
      );
      await session.close();
      const again = await bench.acquire(store, "run");
      await bench.loads(again, run.at(1));
    },
  },
];

/** A run with something odd in it. */
interface OddRun {
  readonly runId?: string;
  readonly header?: Partial<Header>;
  /** Beside header and root scope. */
  readonly changes?: RecordChanges;
}

/** Saves it as a run's first record, and loads it: by the same session, and by another store on the place. */
async function comesBack(bench: Bench, { runId = "run", header = {}, changes = [] }: OddRun): Promise<void> {
  const all = [...firstChanges(runId, header), ...changes];
  const wanted = folded(runId, all);
  const store = await bench.open();
  const session = await bench.acquire(store, runId);
  await session.save(wanted, 0, all);
  await bench.loads(session, wanted);
  await session.close();
  const other = await bench.open();
  const again = await bench.acquire(other, runId);
  await bench.loads(again, wanted);
  await again.close();
}

/** The text in each place where a text can stand: run id, header, ids of entries, fields, names of fields. */
function runWith(text: string): OddRun {
  const table = { [text]: text };
  return {
    runId: `run ${text}`,
    header: { version: text, failure: text, outline: table, keyIds: [text], later: { ...table, list: [text] } },
    changes: [
      put(scopeKey(text), { graph: text, path: text, inputs: text, bindings: false }),
      put(attemptKey(text), { parent: text, nodeId: text, boundary: text, index: 1, limit: 1, state: "active" }),
      put(nodeKey(text, text), {
        nodeId: text,
        attempt: text,
        reason: "completed",
        outputs: [
          { ...readyValue(new Uint8Array(Buffer.from(text)), { codec: text, codecVersion: text }), name: text },
        ],
      }),
    ],
  };
}

/** A confirmed node with this value. */
function nodeWith(
  at: number,
  nodeId: string,
  bytes: Uint8Array,
  head?: Parameters<typeof readyValue>[1],
): RecordChanges {
  return [
    put(attemptKey(idOf(at + 1)), { parent: rootId, nodeId, boundary: "", index: 1, limit: 1, state: "confirmed" }),
    put(nodeKey(rootId, nodeId), {
      nodeId,
      attempt: idOf(at + 1),
      reason: "completed",
      outputs: [readyValue(bytes, head)],
    }),
  ];
}

const nodesWith = (values: readonly Uint8Array[]): RecordChanges =>
  values.flatMap((bytes, at) => nodeWith(at, `node ${at}`, bytes));
