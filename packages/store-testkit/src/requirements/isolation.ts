import type { RunRecord } from "@pulse-ts/durable";
import type { Requirement } from "../requirement.ts";
import { sampleRun, saveStep, saveSteps } from "../sample-run.ts";
import { catalogOf } from "../catalog-of.ts";

/** A store shares nothing with those who call it (STORE-3). */
export const isolation: readonly Requirement[] = [
  {
    id: "STORE-3.isolated-out",
    rule: "STORE-3",
    title: "what a load gives is a copy: changing it changes nothing that is loaded later",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run", oddHeader());
      await saveSteps(session, run, 0, 2);
      spoil(await session.load());
      await bench.loads(session, run.at(2));
      await saveStep(session, run, 3);
      await bench.loads(session, run.at(3));
    },
  },
  {
    id: "STORE-3.isolated-in",
    rule: "STORE-3",
    title: "what was saved is the caller's again after the save: changing it changes nothing in the store",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      for (const revision of [1, 2]) {
        const run = sampleRun("run", oddHeader());
        const changes = run.changesTo(revision);
        // The record is made of the very entries that the changes hold, as the runtime makes it.
        const next = run.at(revision);
        await session.save(next, revision - 1, changes);
        spoil(next);
        for (const change of changes) if (change.kind === "put") spoilValue(change.entry);
        await bench.loads(session, sampleRun("run", oddHeader()).at(revision));
      }
    },
  },
  {
    id: "STORE-3.isolated-read",
    rule: "STORE-3",
    title: "what the catalogue reads is a copy, too",
    async check(bench) {
      const store = await bench.open();
      const run = sampleRun("run", oddHeader());
      const session = await bench.acquire(store, "run");
      await saveSteps(session, run, 0, 2);
      const catalog = catalogOf(store);
      spoil(await catalog.read("run"));
      await bench.loads(session, run.at(2));
      await bench.reads(store, run.at(2));
    },
  },
  {
    id: "STORE-3.unchanged-input",
    rule: "STORE-3",
    title: "a save leaves the record and the changes that it was given as they are",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      for (const revision of [1, 2]) {
        const run = sampleRun("run", oddHeader());
        const next = frozen(run.at(revision));
        await session.save(next, revision - 1, frozen(run.changesTo(revision)));
        await bench.loads(session, next);
      }
    },
  },
];

/** Made anew for each call: nothing of one sample is in another. */
const oddHeader = () => ({ header: { outline: { a: "1" }, later: { tags: ["a"], deep: { er: [1] } } } });

/** Changes whatever can be changed in a record that somebody was given. */
function spoil(record: RunRecord): void {
  const { header, ...maps } = record;
  spoilValue(header);
  for (const map of Object.values(maps)) {
    for (const entry of map.values()) spoilValue(entry);
    (map as Map<string, unknown>).set("spoilt", { spoilt: true });
    const [first] = map.keys();
    if (first !== undefined) (map as Map<string, unknown>).delete(first);
  }
}

function spoilValue(value: unknown): void {
  if (value instanceof Uint8Array) value.fill(0x5a);
  else if (Array.isArray(value)) {
    for (const item of value) spoilValue(item);
    value.push("spoilt");
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) spoilValue(part);
    Object.assign(value, { spoilt: true, revision: 77 });
  }
}

/** A change of a frozen object throws. Bytes cannot be frozen, nor the insides of a Map. */
function frozen<Value>(value: Value): Value {
  if (value instanceof Map) for (const each of value.values()) frozen(each);
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
