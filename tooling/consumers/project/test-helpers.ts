import { compress, createCodecs, encrypt, keyRing, wrapCodecs } from "@pulse-ts/codec";
import { graph, isPulseError, key, node, retry } from "@pulse-ts/core";
import { durable, memoryStore } from "@pulse-ts/durable";
import { alwaysResume, durableAt, durableFaultPoints, fakeHost } from "@pulse-ts/durable/testing";
import type { AtFaultPoint, DurableFaultPoint } from "@pulse-ts/durable/testing";
import { fileStore } from "@pulse-ts/filestore";
import { fileFaultPoints, fileStoreAt } from "@pulse-ts/filestore/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";

const secret = key("secret", z.string());
const greeting = key("greeting", z.string());
const length = key("length", z.int());

let asked = 0;
const greet = node(
  "greet",
  { requires: [secret], provides: [greeting], aspects: [retry({ limit: 2, delay: 60_000 })] },
  ({ secret }) => {
    asked += 1;
    if (asked % 2 === 1) throw new Error("not yet");
    return { greeting: `hello ${secret}` };
  },
);
const measure = node("measure", { requires: [greeting], provides: [length] }, ({ greeting }) => ({
  length: greeting.length,
}));
const greeted = graph("greeted", { inputs: [secret], outputs: [length], nodes: [greet, measure] });
const inputs = { secret: "marked-secret" };

/** What comes for tests and for secrets; throws unless it does what the documentation says. */
export async function runTestHelpers(folder: string): Promise<string> {
  const host = fakeHost({ seed: 7 });
  const { outcome, resumes } = await alwaysResume(greeted, inputs, { host });
  const measured: number = outcome.values.length;
  assert.equal(measured, "hello marked-secret".length);
  assert.ok(resumes > 1);

  await stopAt(join(folder, "stopped"));
  await encrypted(join(folder, "encrypted"));
  return "test helpers, secrets, export and import";
}

/** A disk that fails in the middle of the second append, and then a runtime that is stopped before a save. */
async function stopAt(folder: string): Promise<void> {
  const point: DurableFaultPoint = "save before";
  assert.ok(durableFaultPoints.includes(point) && fileFaultPoints.includes("journal-append half"));
  const options = { runId: "stopped-1", version: "1" };
  const host = fakeHost({ seed: 1 });
  asked = 1;

  let appends = 0;
  const failing = fileStoreAt({ folder }, (reached) => {
    if (reached === "journal-append half" && (appends += 1) === 2) throw new Error("planted in the disk");
  });
  const first = await rejected(durable({ store: failing, host }).run(greeted, inputs, options));
  assert.ok(isPulseError(first, "PULSE_CHECKPOINT"));
  assert.equal(first.details.next, "mend-store");

  const atPoint: AtFaultPoint = (reached) => {
    if (reached === point) throw new Error("planted in the runtime");
  };
  asked = 1;
  const second = await rejected(
    durableAt({ store: fileStore({ folder }), host }, atPoint).resume(greeted, inputs, options),
  );
  assert.ok(isPulseError(second, "PULSE_CHECKPOINT"));

  asked = 1;
  const { values } = await durable({ store: fileStore({ folder }), host }).resume(greeted, inputs, options);
  assert.equal(values.length, "hello marked-secret".length);
}

/** Every value encrypted: nothing of the secret is in the record, which is exported and imported elsewhere. */
async function encrypted(folder: string): Promise<void> {
  const ring = keyRing({ keys: { "2026": randomBytes(32) } });
  const codecs = wrapCodecs(createCodecs(), (codec) => encrypt(compress(codec), ring));
  const options = { runId: "encrypted-1", version: "1" };
  asked = 1;
  await using pulse = durable({ store: fileStore({ folder }), codecs });
  await pulse.run(greeted, inputs, options);
  const document = await pulse.export(options.runId);
  assert.ok(!new TextDecoder().decode(document).includes("marked-secret"));

  await using elsewhere = durable({ store: memoryStore(), codecs });
  await elsewhere.import(document);
  assert.equal((await elsewhere.resume(greeted, inputs, options)).values.length, "hello marked-secret".length);
}

async function rejected(running: Promise<unknown>): Promise<unknown> {
  return await running.then(
    () => assert.fail("expected a failure"),
    (error: unknown) => error,
  );
}
