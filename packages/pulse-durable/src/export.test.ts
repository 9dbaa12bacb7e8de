import { canonicalJson } from "@pulse-ts/codec";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { memoryStore } from "./memory-store.ts";
import { attemptKey, nodeKey } from "./record/entry-key.ts";
import { entriesOf, recordBuilder } from "./record/fold.ts";
import type { RecordChange, RunRecord } from "./record/format.ts";
import type { Store } from "./store.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { crashGraph } from "./testing/graphs.ts";
import { digestOf, readyValue, rootAttempt, rootId, sampleRecord, skippedValue } from "./testing/sample-record.ts";
import { fetchKey, set, whole } from "./testing/whole-record.ts";
import { worker } from "./testing/worker.ts";

const call = { runId: "run", version: "1" };
const text = (document: Uint8Array): string => new TextDecoder().decode(document);
const parsed = (document: Uint8Array) => JSON.parse(text(document)) as Record<string, Record<string, never>>;

/** A store that has the record already, at revision 1. */
async function storeWith(record: RunRecord): Promise<ReturnType<typeof memoryStore>> {
  const store = memoryStore();
  const session = await store.acquire(record.header.runId);
  await session.save({ ...record, header: { ...record.header, revision: 1 } }, 0, entriesOf(record));
  await session.close();
  return store;
}

const edited = (...changes: readonly RecordChange[]): RunRecord => {
  const builder = recordBuilder("run", whole);
  changes.forEach(builder.apply);
  return builder.view();
};

/** A run that died in the middle, and its document. */
async function interrupted(revision: number) {
  const memory = memoryStore();
  const dying = worker(memory);
  const dead = dying.diesAt(revision, "after");
  void dying.pulse
    .run(
      crashGraph(() => {}),
      { start: 3 },
      call,
    )
    .catch(() => {});
  await dead;
  return { memory, document: await durable({ store: memory }).export("run") };
}

test("REC-26 REC-25 a run that is exported and imported is the same record, and goes on as the first would", async () => {
  const { memory, document } = await interrupted(9);
  const before = await memory.catalog.read("run");
  const other = memoryStore();
  const pulse = durable({ store: other });
  expect(await pulse.import(document)).toStrictEqual({ ...call, status: "running", revision: 1 });
  const after = await other.catalog.read("run");
  expect(after).toStrictEqual({ ...before, header: { ...before.header, revision: 1 } });
  expect(text(await pulse.export("run"))).toBe(text(document).replace('"revision":9', '"revision":1'));
  expect(await pulse.import(text(await pulse.export("run"))).catch(() => "there")).toBe("there");

  const calls: string[][] = [];
  for (const store of [memory, other]) {
    const called: string[] = [];
    const graph = crashGraph((path) => called.push(path));
    calls.push(called);
    expect(await durable({ store }).resume(graph, { start: 3 }, call)).toEqual(
      await durable({ store: memoryStore() }).run(
        crashGraph(() => {}),
        { start: 3 },
        call,
      ),
    );
  }
  expect(calls[1]).toStrictEqual(calls[0]);
});

test("REC-26 a document is canonical, has the record's field names, and bytes as base64 with padding", async () => {
  const store = await storeWith(whole);
  const document = await durable({ store }).export("run");
  const json: unknown = JSON.parse(text(document));
  expect(text(document)).toBe(canonicalJson(json));
  expect(Object.keys(parsed(document))).toStrictEqual(
    "attempts definition format inputs managed messages resumes revision rootScope runId scopes status streams tries version".split(
      " ",
    ),
  );
  expect(json).toMatchObject({
    revision: 1,
    scopes: { [rootId]: { graph: "order", bindings: false, nodes: { fetch: { outputs: [{ bytes: "dGV4dA==" }] } } } },
  });
});

test("V5 V6 REC-26 odd ids, unknown header fields, zero bytes and numeric-looking keys come back", async () => {
  const odd = ["__proto__", "constructor", "a/b", "a\u0000b", "10", "9", "\u{1F600}", "ﬀ", ""];
  const idAt = (at: number): string => `${at}`.padStart(32, "a");
  const nodes = Object.fromEntries(
    odd.map((nodeId, at) => {
      const outputs = [readyValue("", ""), skippedValue(nodeId), readyValue("9", "\u0000\u00ff")].slice(0, at % 4);
      return [nodeId, { nodeId, attempt: idAt(at), reason: "completed" as const, outputs }];
    }),
  );
  const later = JSON.parse('{"__proto__":{"x":1},"10":[1e21,-1.5],"9":null,"":"\\u2028"}') as object;
  const record = sampleRecord({
    header: { later, keyIds: ["k"] },
    attempts: Object.fromEntries(odd.map((nodeId, at) => [idAt(at), rootAttempt(nodeId, { state: "confirmed" })])),
    nodes: { [rootId]: nodes },
  });
  const document = await durable({ store: await storeWith(record) }).export("run");
  expect(text(document)).toBe(canonicalJson(JSON.parse(text(document))));
  const other = memoryStore();
  await durable({ store: other }).import(document);
  expect(await other.catalog.read("run")).toStrictEqual(record);
});

test("REC-26 STORE-10 contents are fetched into the document, and checked", async () => {
  const big = readyValue("page", "text");
  const { name, codec, codecVersion } = big;
  const digest = digestOf("text");
  const content = { name, codec, codecVersion, state: "ready" as const, digest, content: { digest, size: 4 } };
  const record = edited(set(fetchKey, { outputs: [content] }));
  const reading = (bytes?: Uint8Array): Store => {
    const { catalog } = memoryStore();
    const read = () => Promise.resolve(record);
    const fetched = bytes === undefined ? {} : { content: () => Promise.resolve(bytes) };
    return {
      acquire: () => Promise.reject(new Error("an export owns no run")),
      catalog: { ...catalog, read, ...fetched },
    };
  };
  const plain = await durable({ store: await storeWith(whole) }).export("run");
  const document = await durable({ store: reading(new TextEncoder().encode("text")) }).export("run");
  expect(text(document)).toBe(text(plain));
  for (const bytes of [undefined, new TextEncoder().encode("texx"), new TextEncoder().encode("text ")]) {
    const error = await rejectionOf("PULSE_CORRUPT", durable({ store: reading(bytes) }).export("run"));
    expect(error.details.where).toBe(`${fetchKey} outputs "page"`);
  }
});

test("REC-26 what could not be imported is not exported, and a run that is not there is not found", async () => {
  const damaged = edited({ kind: "delete", key: nodeKey(rootId, "fetch") });
  const error = await rejectionOf("PULSE_CORRUPT", durable({ store: await storeWith(damaged) }).export("run"));
  expect(error.details).toMatchObject({
    runId: "run",
    next: "restore-backup",
    where: expect.stringMatching(/^attempt/),
  });
  await rejectionOf("PULSE_NOT_FOUND", durable({ store: memoryStore() }).export("run"));
  const { acquire } = memoryStore();
  const none = await rejectionOf("PULSE_USAGE", durable({ store: { acquire } }).export("run"));
  expect(none.details).toMatchObject({ rule: "REC-26", runId: "run" });
});

test("REC-26 DUR-1 a run that is there, or owned, is never written over", async () => {
  const { memory, document } = await interrupted(4);
  const before = await memory.catalog.read("run");
  const pulse = durable({ store: memory });
  const error = await rejectionOf("PULSE_CONFLICT", pulse.import(document));
  expect(error.details).toMatchObject({ runId: "run", what: "run id", found: "running" });
  expect(await memory.catalog.read("run")).toStrictEqual(before);
  const other = memoryStore();
  const owner = await other.acquire("run");
  await rejectionOf("PULSE_BUSY", durable({ store: other }).import(document));
  await owner.close();
  expect(await other.catalog.count()).toBe(0);
});

test("REC-26 REC-16 REC-15 a damaged document is refused by its place, and nothing is written", async () => {
  const document = text(await durable({ store: await storeWith(whole) }).export("run"));
  const doc = (change: (json: Record<string, unknown>) => void): string => {
    const json = JSON.parse(document) as Record<string, unknown>;
    change(json);
    return JSON.stringify(json);
  };
  const at = (json: Record<string, unknown>, ...path: readonly string[]): Record<string, unknown> =>
    path.reduce((part, field) => part[field] as Record<string, unknown>, json);
  const [attempt = ""] = Object.keys(at(JSON.parse(document) as Record<string, unknown>, "attempts"));
  const invalid = new TextEncoder().encode(document);
  invalid[100] = 0xff;
  const damages: readonly (readonly [string | Uint8Array, string])[] = [
    ["", "document: line 1 column 1 is no JSON"],
    [`${document}{}`, "is no JSON"],
    [`\uFEFF${document}`, "is no JSON"],
    [invalid, "document: byte 100 is no UTF-8"],
    [new TextEncoder().encode('{"').fill(0xe2, 1), "document: byte 2 is no UTF-8"],
    ["[]", "document: the document is no object"],
    [document.replace('"attempts":{', '"attempts":{},"attempts":{'), 'document: "attempts" is there twice'],
    [document.replace('"fetch":{', '"fetch":1,"fetch":{'), `"scopes"."${rootId}"."nodes"."fetch" is there twice`],
    [doc((json) => delete json["attempts"]), "document: attempts is missing"],
    [doc((json) => delete json["streams"]), "document: streams is missing"],
    [doc((json) => (json["tries"] = [])), "document: tries is no object"],
    [doc((json) => (json["nodes"] = {})), "document: nodes stands outside its scope"],
    [doc((json) => delete json["status"]), "document: header: status is missing"],
    [doc((json) => (json["runId"] = 1)), "document: header: runId is no text"],
    [doc((json) => (json["format"] = "2")), "document: header: format"],
    [doc((json) => (json["revision"] = 2 ** 53)), "document: header: revision"],
    [doc((json) => (at(json, "scopes")["x"] = null)), "scope/x is no object"],
    [doc((json) => delete at(json, "scopes", rootId)["nodes"]), `scope/${rootId}: nodes is missing`],
    [doc((json) => delete at(json, "scopes", rootId)["bindings"]), `scope/${rootId}: bindings is missing`],
    [doc((json) => (at(json, "scopes", rootId, "nodes")["fetch"] = "x")), `node/${rootId}/fetch: is no object`],
    [doc((json) => (at(json, "attempts", attempt)["limit"] = "1")), `${attemptKey(attempt)}: limit`],
    [doc((json) => (at(json, "attempts", attempt)["later"] = 1)), `${attemptKey(attempt)}: later is no field`],
    [document.replace('"boundary":"",', '"__proto__":{"boundary":""},'), "boundary is missing"],
    [document.replace('"fetch":{"attempt', '"\\ud800":{"attempt'), "a key of nodes has an unpaired surrogate"],
    [document.replace('"version":"1"', '"version":"\\udfff"'), ".version has an unpaired surrogate"],
    [document.replace("dGV4dA==", "dGV4dA"), "is no base64 text with padding"],
    [document.replace("dGV4dA==", "dGV4dB=="), "is no base64 text with padding"],
    [document.replace("dGV4dA==", "dGV4"), 'outputs "page": bytes have the digest'],
    [doc((json) => (json["inputs"] = digestOf("other"))), "inputs: are not those of the header"],
  ];
  const store = memoryStore();
  const pulse = durable({ store });
  for (const [damage, place] of damages) {
    const error = await rejectionOf("PULSE_CORRUPT", pulse.import(damage));
    expect([error.details.where, ...(error.details.problems ?? [])].join("\n")).toContain(place);
  }
  const newer = await rejectionOf("PULSE_NEWER_FORMAT", pulse.import(doc((json) => (json["format"] = 3))));
  expect(newer.details).toMatchObject({ runId: "run", found: 3, supported: 2 });
  const unnamed = await rejectionOf("PULSE_CORRUPT", pulse.import(document.replaceAll('"runId":"run"', '"runId":""')));
  expect(unnamed.details.where).toBe("document: header runId");
  expect(await store.catalog.count()).toBe(0);

  // A name of JavaScript's own is a name like any other: kept where unknown fields are, and nothing is set by it.
  await pulse.import(document.replace('"version":"1"}', '"version":"1","__proto__":{"x":1}}'));
  const { header } = await store.catalog.read("run");
  expect(Object.getOwnPropertyDescriptor(header, "__proto__")?.value).toStrictEqual({ x: 1 });
  expect(Object.getPrototypeOf(header)).toBe(Object.prototype);
});

test("STORE-4 REC-26 an import that the store did not confirm leaves the run free", async () => {
  const { document } = await interrupted(4);
  const inner = memoryStore();
  const failing = worker(inner);
  failing.store.faults.before = () => Promise.reject(new Error("disk full"));
  const error = await rejectionOf("PULSE_STORE", failing.pulse.import(document));
  expect(error.message).toContain("disk full");
  expect(await durable({ store: inner }).import(document)).toMatchObject({ revision: 1 });
});

test("REC-26 DUR-12 what is neither text nor bytes is refused, and a forgotten await is asked after", async () => {
  const { pulse, store } = worker();
  const refusal = (given: unknown) => rejectionOf("PULSE_INVALID", pulse.import(given as never));
  const give = "give what `await pulse.export(runId)` gives, as bytes or as text";
  const promised = await refusal(Promise.resolve("{}"));
  expect(promised.message).toBe(`importing a run: the document is a promise; ${give}; was \`await\` forgotten?`);
  expect(promised.details).toMatchObject({ runId: "", next: "start", problems: [{ path: "document" }] });
  expect((await refusal(undefined)).message).toBe(`importing a run: the document is undefined; ${give}`);
  expect((await refusal({})).message).toBe(`importing a run: the document is an object of another kind; ${give}`);
  expect(store.acquired).toBe(0);
});
