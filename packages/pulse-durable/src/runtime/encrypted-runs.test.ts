import { createHash, randomBytes } from "node:crypto";
import { createCodecs, encrypt, structured, wrapCodecs } from "@pulse-ts/codec";
import type { Codecs, KeySource } from "@pulse-ts/codec";
import { graph, key, mount, node, optional, skipped, type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };
const k1 = randomBytes(32);
const k2 = randomBytes(32);
const k3 = randomBytes(32);

const pinType = type<string>("pin");
const panType = type<string>("pan");
const pin = key("pin", pinType);
const pan = key("pan", panType);
const greeting = key("greeting", type<string>("greeting"));

interface Rings {
  readonly pin: { readonly keys: Readonly<Record<string, KeySource>>; readonly current?: string };
  readonly pan?: { readonly keys: Readonly<Record<string, KeySource>>; readonly current?: string };
}

function codecsWith({ pin, pan = pin }: Rings): Codecs {
  const codecs = createCodecs();
  codecs.register(encrypt(structured(pinType, { id: "pin" }), pin));
  codecs.register(encrypt(structured(panType, { id: "pan" }), pan));
  return codecs;
}

const greet = node("greet", { requires: [pin], provides: [greeting] }, ({ pin }) => ({
  greeting: `pin of ${pin.length}`,
}));
const withInput = graph("with-input", { inputs: [pin], outputs: [greeting], nodes: [greet] });

const first = key("first", type<string>("first"));
const start = node("start", { provides: [first] }, () => ({ first: "begun" }));
const inner = graph("inner", { inputs: [pin, first], outputs: [greeting], nodes: [greet] });
const withFixed = graph("with-fixed", {
  outputs: [greeting],
  nodes: [start, mount("inner", inner, { fix: { pin: "4711" }, in: { first }, out: { greeting } })],
});

/** A run that dies before its last save, to be resumed by another process. */
async function unfinished(codecs: Codecs, run: (pulse: ReturnType<typeof worker>["pulse"]) => Promise<unknown>) {
  const memory = memoryStore();
  const first = worker(memory, { codecs });
  const dead = first.diesAt(2, "before");
  run(first.pulse).catch(() => {});
  await dead;
  return memory;
}

test("CODEC-19 a run keeps the ids of the keys of its fingerprints, and one without encrypted inputs keeps none", async () => {
  const memory = memoryStore();
  const { pulse } = worker(memory, { codecs: codecsWith({ pin: { keys: { k1 } } }) });
  await pulse.run(withInput, { pin: "1234" }, call);
  expect((await memory.catalog.read("run")).header.keyIds).toEqual(["k1"]);
  await pulse.run(graph("plain", { nodes: [start] }), {}, { runId: "plain", version: "1" });
  expect((await memory.catalog.read("plain")).header).not.toHaveProperty("keyIds");
});

test("CODEC-19 DUR-6 after a rotation a run is resumed with the same inputs, and not with others", async () => {
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(withInput, { pin: "1234" }, call),
  );
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    worker(memory, { codecs: rotated }).pulse.resume(withInput, { pin: "1235" }, call),
  );
  expect(error.details).toMatchObject({
    what: "inputs",
    differences: ['changed: input "pin"'],
    next: "same-definition",
  });
  const outcome = await worker(memory, { codecs: rotated }).pulse.resume(withInput, { pin: "1234" }, call);
  expect(outcome).toMatchObject({ values: { greeting: "pin of 4" } });
  expect((await memory.catalog.read("run")).header.keyIds).toEqual(["k1"]);
});

test("CODEC-19 DUR-12 a ring that lost the key of the fingerprints is told the key's id, and nothing changes", async () => {
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(withInput, { pin: "1234" }, call),
  );
  const before = await memory.catalog.read("run");
  const lost = worker(memory, { codecs: codecsWith({ pin: { keys: { k2 } } }) });
  const error = await rejectionOf("PULSE_INCOMPATIBLE", lost.pulse.resume(withInput, { pin: "1234" }, call));
  expect(error.message).toBe(
    'resuming run "run": the value "pin": its fingerprint needs the key "k1", which the key ring does not have (it has "k2"); add that key to the ring, and resume',
  );
  expect(error.details).toEqual({
    runId: "run",
    next: "same-definition",
    what: "encryption key",
    expected: "k1",
    key: "pin",
  });
  expect(await memory.catalog.read("run")).toEqual(before);
  const other = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    lost.pulse.resume(withInput, { pin: "1234" }, { ...call, version: "2" }),
  );
  expect(other.details.what).toBe("version");
});

test("CODEC-19 DUR-12 another key under the id that the run names makes other inputs, never a silent match", async () => {
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(withInput, { pin: "1234" }, call),
  );
  const { pulse } = worker(memory, { codecs: codecsWith({ pin: { keys: { k1: k2 } } }) });
  const error = await rejectionOf("PULSE_INCOMPATIBLE", pulse.resume(withInput, { pin: "1234" }, call));
  expect(error.details.what).toBe("inputs");
  expect(error.message).toBe(
    'resuming run "run": it was started with other inputs (changed: input "pin"); resume it with what it was started with, or start a run under another id. If the inputs are the same, the key "k1" may have other bytes than at the start: give the key ring the bytes that had that id then',
  );
});

test("DUR-22 CODEC-19 an encrypted fixed value is the same in each process, and after a rotation", async () => {
  const codecs = (): Codecs => codecsWith({ pin: { keys: { k1 } } });
  const memory = await unfinished(codecs(), (pulse) => pulse.run(withFixed, {}, call));
  expect((await memory.catalog.read("run")).header.keyIds).toEqual(["k1"]);
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  expect(await worker(memory, { codecs: rotated }).pulse.resume(withFixed, {}, call)).toMatchObject({
    values: { greeting: "pin of 4" },
  });
  expect(await worker(memory, { codecs: codecs() }).pulse.resume(withFixed, {}, call)).toMatchObject({
    values: { greeting: "pin of 4" },
  });
});

test("DUR-22 CODEC-19 a child scope that was opened before a rotation is recognised after it", async () => {
  const memory = memoryStore();
  const begun = worker(memory, { codecs: codecsWith({ pin: { keys: { k1 } } }) });
  // The header; "start" and the child's scope; then "greet".
  const dead = begun.diesAt(4, "before");
  begun.pulse.run(withFixed, {}, call).catch(() => {});
  await dead;
  expect((await memory.catalog.read("run")).scopes.size).toBe(2);
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  expect(await worker(memory, { codecs: rotated }).pulse.resume(withFixed, {}, call)).toMatchObject({
    values: { greeting: "pin of 4" },
  });
  const lost = worker(memory, { codecs: codecsWith({ pin: { keys: { k2 } } }) });
  const error = await rejectionOf("PULSE_INCOMPATIBLE", lost.pulse.resume(withFixed, {}, call));
  expect(error.details).toMatchObject({ what: "encryption key", expected: "k1", next: "same-definition" });
});

test("DUR-22 DUR-4 another encrypted fixed value is another definition", async () => {
  const codecs = codecsWith({ pin: { keys: { k1 } } });
  const memory = await unfinished(codecs, (pulse) => pulse.run(withFixed, {}, call));
  const changed = graph("with-fixed", {
    outputs: [greeting],
    nodes: [start, mount("inner", inner, { fix: { pin: "4712" }, in: { first }, out: { greeting } })],
  });
  const error = await rejectionOf("PULSE_INCOMPATIBLE", worker(memory, { codecs }).pulse.resume(changed, {}, call));
  expect(error.details).toMatchObject({ what: "definition", differences: ["changed: mount inner"] });
});

test("DUR-23 CODEC-19 an encrypted override is the same in each process, after a rotation too, and another one is told", async () => {
  const make = node("make", { requires: [first], provides: [pin] }, () => ({ pin: "made" }));
  const overridden = graph("overridden", { outputs: [greeting], nodes: [start, make, greet] });
  const overrides = { keys: { pin: "4711" } };
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(overridden, {}, { ...call, overrides }),
  );
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  const other = worker(memory, { codecs: rotated }).pulse.resume(
    overridden,
    {},
    { ...call, overrides: { keys: { pin: "4712" } } },
  );
  expect((await rejectionOf("PULSE_INCOMPATIBLE", other)).details.differences).toEqual(["changed: replaced key pin"]);
  const outcome = await worker(memory, { codecs: rotated }).pulse.resume(overridden, {}, { ...call, overrides });
  expect(outcome).toMatchObject({ values: { greeting: "pin of 4" } });
});

test("CODEC-19 each encrypting codec keeps to its own key, whatever ids its ring shares with another one", async () => {
  const both = graph("both", {
    inputs: [pin, pan],
    outputs: [greeting],
    nodes: [
      node("join", { requires: [pin, pan], provides: [greeting] }, ({ pin, pan }) => ({
        greeting: `${pin}${pan}`.length.toString(),
      })),
    ],
  });
  const inputs = { pin: "1234", pan: "4929" };
  const codecs = codecsWith({ pin: { keys: { k1 } }, pan: { keys: { k2 } } });
  const memory = await unfinished(codecs, (pulse) => pulse.run(both, inputs, call));
  expect((await memory.catalog.read("run")).header).toMatchObject({
    keyIds: ["k1", "k2"],
    codecKeys: { "aes-256-gcm(pan)": "k2", "aes-256-gcm(pin)": "k1" },
  });
  const all = { k1, k2, k3 };
  const merged = codecsWith({ pin: { keys: all, current: "k3" }, pan: { keys: all, current: "k1" } });
  const error = await rejectionOf(
    "PULSE_INCOMPATIBLE",
    worker(memory, { codecs: merged }).pulse.resume(both, { ...inputs, pan: "4930" }, call),
  );
  expect(error.details.differences).toEqual(['changed: input "pan"']);
  expect(await worker(memory, { codecs: merged }).pulse.resume(both, inputs, call)).toMatchObject({
    values: { greeting: "8" },
  });
});

test("CODEC-19 CORE-41 a lost key is not asked for when nothing has a fingerprint of it", async () => {
  const seen = node("seen", { requires: [optional(pin)], provides: [greeting] }, ({ pin }) => ({
    greeting: String(pin),
  }));
  const maybe = graph("maybe", { inputs: [optional(pin)], outputs: [greeting], nodes: [seen] });
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(maybe, { pin: skipped }, call),
  );
  const lost = worker(memory, { codecs: codecsWith({ pin: { keys: { k2 } } }) });
  expect(await lost.pulse.resume(maybe, {}, call)).toMatchObject({ values: { greeting: "undefined" } });
});

test("REC-9 CODEC-11 DUR-12 a confirmed value whose key was lost stops the run by the key's id; with the key it goes on", async () => {
  const made = key("made", pinType);
  const make = node("make", { provides: [made] }, () => ({ made: "4711" }));
  const use = node("use", { requires: [made], provides: [greeting] }, ({ made }) => ({
    greeting: made.replaceAll(/\d/g, "*"),
  }));
  const chain = graph("chain", { outputs: [greeting], nodes: [make, use] });
  const memory = memoryStore();
  const begun = worker(memory, { codecs: codecsWith({ pin: { keys: { k1 } } }) });
  const dead = begun.diesAt(3, "before");
  begun.pulse.run(chain, {}, call).catch(() => {});
  await dead;

  const lost = worker(memory, { codecs: codecsWith({ pin: { keys: { k2 } } }) });
  const error = await rejectionOf("PULSE_CHECKPOINT", lost.pulse.resume(chain, {}, call));
  expect(error.details.next).toBe("same-definition");
  expect(error.cause).toMatchObject({ code: "PULSE_INCOMPATIBLE", details: { expected: "k1", key: "made" } });
  expect(error.details).toMatchObject({ hook: "read" });
  expect(error.message).toContain('run "run" stopped, because a confirmed value could not be read: ');
  expect(error.message).toContain('it was encrypted with the key "k1", which the key ring does not have');

  const wrong = worker(memory, { codecs: codecsWith({ pin: { keys: { k1: k2 } } }) });
  const corrupt = await rejectionOf("PULSE_CHECKPOINT", wrong.pulse.resume(chain, {}, call));
  expect(corrupt.cause).toMatchObject({ code: "PULSE_CORRUPT", message: expect.stringContaining('with the key "k1"') });
  const first = '; give the key ring the bytes that the key "k1" had then; or restore the run from a backup';
  expect(corrupt.message).toContain(first);

  const verified = rejectionOf("PULSE_INCOMPATIBLE", lost.pulse.resume(chain, {}, { ...call, verify: "all" }));
  expect((await verified).details.what).toBe("encryption key");

  const found = worker(memory, { codecs: codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } }) });
  expect(await found.pulse.resume(chain, {}, call)).toMatchObject({ values: { greeting: "****" } });
});

test("CODEC-18 CODEC-11 encrypted bytes travel through in and out unchanged: nothing is encrypted anew", async () => {
  const given = key("given", pinType);
  const passed = key("passed", pinType);
  const copy = graph("copy", {
    inputs: [pin],
    outputs: [pin],
    nodes: [],
  });
  const make = node("make", { provides: [given] }, () => ({ given: "4711" }));
  const outer = graph("outer", {
    outputs: [passed],
    nodes: [make, mount("copy", copy, { in: { pin: given }, out: { pin: passed } })],
  });
  const memory = memoryStore();
  const codecs = codecsWith({ pin: { keys: { k1 } }, pan: { keys: { k2 } } });
  expect(await worker(memory, { codecs }).pulse.run(outer, {}, call)).toMatchObject({ values: { passed: "4711" } });
  const outputs = [...(await memory.catalog.read("run")).nodes.values()].flatMap((entry) => entry.outputs);
  const digests = outputs.map((output) => (output.state === "ready" ? output.digest : ""));
  expect(digests).toHaveLength(2);
  expect(new Set(digests).size).toBe(1);
});

test("CODEC-11 CODEC-19 a codec that is registered after a graph was run is used from the next run on, for inputs too", async () => {
  const memory = memoryStore();
  const codecs = createCodecs();
  const { pulse } = worker(memory, { codecs });
  const copied = key("copied", pinType);
  const copy = node("copy", { requires: [pin], provides: [copied] }, ({ pin }) => ({ copied: pin }));
  const copying = graph("copying", { inputs: [pin], outputs: [copied], nodes: [copy] });
  const shown = async (runId: string) => {
    await pulse.run(copying, { pin: "4711" }, { runId, version: "1" });
    const { header, nodes } = await memory.catalog.read(runId);
    return {
      keyIds: header.keyIds,
      codecs: [...nodes.values()].flatMap(({ outputs }) => outputs.map(({ codec }) => codec)),
    };
  };
  expect(await shown("before")).toEqual({ keyIds: undefined, codecs: ["structured"] });
  codecs.register(encrypt(structured(pinType, { id: "pin" }), { keys: { k1 } }));
  expect(await shown("after")).toEqual({ keyIds: ["k1"], codecs: ["aes-256-gcm(pin)"] });
  const resumed = await worker(memory, { codecs: codecsWith({ pin: { keys: { k1 } } }) }).pulse.resume(
    copying,
    { pin: "4711" },
    { runId: "after", version: "1" },
  );
  expect(resumed.values.copied).toBe("4711");
});

test("CODEC-11 wrapCodecs encrypts every value of a run, and its inputs have fingerprints with keys", async () => {
  const memory = memoryStore();
  const codecs = wrapCodecs(createCodecs(), (codec) => encrypt(codec, { keys: { k1 } }));
  const count = key("count", z.int());
  const twice = key("twice", z.int());
  const double = graph("double", {
    inputs: [count],
    outputs: [twice],
    nodes: [node("double", { requires: [count], provides: [twice] }, ({ count }) => ({ twice: count * 2 }))],
  });
  const dead = worker(memory, { codecs });
  const died = dead.diesAt(2, "after");
  dead.pulse.run(double, { count: 21 }, call).catch(() => {});
  await died;
  expect(await worker(memory, { codecs }).pulse.resume(double, { count: 21 }, call)).toMatchObject({
    values: { twice: 42 },
  });
  const record = await memory.catalog.read("run");
  for (const { outputs } of record.nodes.values())
    for (const output of outputs) expect(output.codec).toMatch(/^aes-256-gcm\(zod:/);
  expect(record.header.outline?.["input count"]).not.toBe(
    createHash("sha256").update(createHash("sha256").update("21").digest("hex")).digest("hex").slice(0, 16),
  );
});

test("CODEC-19 equal secrets of two runs, and of two inputs, have unlike fingerprints", async () => {
  const memory = memoryStore();
  const other = key("other", pinType);
  const both = graph("both", { inputs: [pin, other], nodes: [node("use", { requires: [pin, other] }, () => {})] });
  const { pulse } = worker(memory, { codecs: codecsWith({ pin: { keys: { k1 } } }) });
  const outlines: unknown[] = [];
  for (const runId of ["one", "two"]) {
    await pulse.run(both, { pin: "1234", other: "1234" }, { runId, version: "1" });
    const { outline = {} } = (await memory.catalog.read(runId)).header;
    outlines.push(outline["input pin"], outline["input other"]);
  }
  expect(new Set(outlines).size).toBe(4);
});

test("REC-26 CODEC-19 a run with encrypted inputs is exported, imported elsewhere and resumed with its old key there", async () => {
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(withInput, { pin: "1234" }, call),
  );
  const document = await worker(memory).pulse.export("run");
  const elsewhere = memoryStore();
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  const { pulse } = worker(elsewhere, { codecs: rotated });
  await pulse.import(document);
  const { keyIds, codecKeys } = (await elsewhere.catalog.read("run")).header;
  expect({ keyIds, codecKeys }).toEqual({ keyIds: ["k1"], codecKeys: { "aes-256-gcm(pin)": "k1" } });
  const outcome = await pulse.resume(withInput, { pin: "1234" }, call);
  expect(outcome).toMatchObject({ values: { greeting: "pin of 4" } });
});

test("CODEC-19 REC-16 a record without codecKeys means its only key for each codec", async () => {
  const memory = await unfinished(codecsWith({ pin: { keys: { k1 } } }), (pulse) =>
    pulse.run(withInput, { pin: "1234" }, call),
  );
  const document = new TextDecoder().decode(await worker(memory).pulse.export("run"));
  const older = document.replace(/"codecKeys":\{[^}]*\},/, "");
  expect(older).not.toBe(document);
  const elsewhere = memoryStore();
  const rotated = codecsWith({ pin: { keys: { k1, k2 }, current: "k2" } });
  const { pulse } = worker(elsewhere, { codecs: rotated });
  await pulse.import(older);
  expect((await pulse.resume(withInput, { pin: "1234" }, call)).values.greeting).toBe("pin of 4");
});
