import { randomBytes } from "node:crypto";
import { createCodecs, encrypt, structured } from "@pulse-ts/codec";
import type { Codecs } from "@pulse-ts/codec";
import { graph, isPulseError, key, node, toDot, toMermaid, topology, type } from "@pulse-ts/core";
import type { PulseErrorCode } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { RunOptions, Store } from "@pulse-ts/durable";
import { alwaysResume } from "@pulse-ts/durable/testing";
import { describe, expect, test } from "vitest";
import { damagingStore } from "./damaging-store.ts";
import { guessesFor, pins } from "./guess.ts";
import { restingPlaces } from "./places.ts";
import type { RestingPlace } from "./places.ts";
import { encrypting, inputs, overrides, secretGraph, secrets, texts } from "./secret-graph.ts";
import type { Ways } from "./secret-graph.ts";
import { Captured, hashesIn, marked } from "./traces.ts";

const k1 = randomBytes(32);
const k2 = randomBytes(32);
const call = { runId: "run", version: "1", overrides };
const keys = [marked("k1", k1.toString("latin1")), marked("k2", k2.toString("latin1"))].concat(
  [k1, k2].map((bytes, at) => marked(`k${at + 1} in hex`, bytes.toString("hex"))),
  [k1, k2].map((bytes, at) => marked(`k${at + 1} in base64`, bytes.toString("base64").slice(0, 40))),
);

const well: Ways = { last: () => "well done" };

interface Doing {
  readonly place: RestingPlace;
  readonly captured: Captured;
  readonly codecs?: Codecs;
  readonly ways?: Ways;
  readonly given?: object;
  readonly options?: Partial<RunOptions>;
  readonly store?: (store: Store) => Store;
}

/** What one process does and everything that can be seen of it. Gives the code of the error it ends with. */
async function act({
  place,
  captured,
  codecs = encrypting({ k1 }, "k1"),
  ways = well,
  given = {},
  options = {},
  store = (own) => own,
}: Doing): Promise<PulseErrorCode | "completed"> {
  const secret = secretGraph(ways);
  captured.text("mermaid", toMermaid(secret));
  captured.text("dot", toDot(secret));
  captured.value("topology", topology(secret));
  captured.value("codecs", codecs);
  const pulse = durable({ store: store(place.open()), codecs });
  captured.value("durable", pulse);
  let outcome: PulseErrorCode | "completed" = "completed";
  try {
    await pulse.runOrResume(
      secret,
      { ...inputs, ...given },
      {
        ...call,
        ...options,
        observers: [(event) => captured.value(`event ${event.kind}`, event)],
        beforeStart: (execution) => captured.value("snapshot", execution.snapshot()),
      },
    );
  } catch (error) {
    captured.value("error", error);
    if (!isPulseError(error)) throw error;
    outcome = error.code;
  }
  await pulse.close();
  await place.capture(captured);
  const host = durable({ store: place.open(), codecs });
  try {
    captured.value("inspection", await host.inspect("run"));
    captured.bytes("export", await host.export("run"));
  } catch (error) {
    // A run that never began.
    if (!isPulseError(error, "PULSE_NOT_FOUND")) throw error;
    captured.value("error", error);
  }
  await host.close();
  return outcome;
}

const failing: Ways = {
  last() {
    throw new Error("the bank said no");
  },
};

for (const [name, open] of Object.entries(restingPlaces)) {
  describe(`on ${name}`, () => {
    test("CODEC-11 CODEC-19 a run that completes leaves no trace of a secret, nor of a key", async () => {
      await using place = await open();
      const captured = new Captured();
      const seen: unknown[] = [];
      const ways: Ways = { last: (given) => `well done ${seen.push(given)}` };
      expect(await act({ place, captured, ways })).toBe("completed");
      expect(seen).toEqual([{ ...inputs, made: texts.made, passed: texts.made, replaced: texts.replaced }]);
      expect(await act({ place, captured, ways, options: { verify: "all" } })).toBe("completed");
      expect(captured.traces([...secrets, ...keys])).toEqual([]);
      expect(captured.places).toBeGreaterThan(50);
    });

    test("CODEC-11 the same run without encryption leaves traces, so the search finds them", async () => {
      await using place = await open();
      const captured = new Captured();
      await act({ place, captured, codecs: createCodecs() });
      const traces = captured.traces(secrets).join("\n");
      for (const found of ["made", "note", "card", "field", "replaced"]) expect(traces).toContain(`: ${found} as utf8`);
      // Of inputs alone fingerprints rest, which are guessed.
      expect(traces).toContain("pin as SHA-256 of SHA-256");
      await using other = await open();
      const [first] = pins;
      const records = new Captured();
      await onlyPin({ place: other, captured: records, codecs: createCodecs(), value: first ?? "" });
      expect(guessed(records)).toEqual([first]);
    });

    test("CODEC-11 a run that fails leaves no trace, whether it keeps the failure's text or not", async () => {
      for (const keepFailure of [false, true]) {
        await using place = await open();
        const captured = new Captured();
        expect(await act({ place, captured, ways: failing, options: { keepFailure } })).toBe("PULSE_RUN_FAILED");
        expect(await act({ place, captured, ways: failing })).toBe("PULSE_RUN_FAILED");
        expect(captured.traces([...secrets, ...keys])).toEqual([]);
      }
    });

    test("DUR-3 CODEC-11 a body's error that quotes a secret is the host's to see, and rests in no record", async () => {
      await using place = await open();
      const ways: Ways = {
        last({ pin }) {
          throw new Error(`cannot pay with ${String(pin)}`);
        },
      };
      expect(await act({ place, captured: new Captured(), ways })).toBe("PULSE_RUN_FAILED");
      const resting = new Captured();
      await place.capture(resting);
      expect(resting.traces(secrets)).toEqual([]);
    });

    test("CODEC-11 another key, a lost key and a rotated ring leave no trace in what they say", async () => {
      await using place = await open();
      const captured = new Captured();
      const stopping: Ways = {
        last() {
          throw Object.assign(new Error("stopped"), { name: "AbortError" });
        },
      };
      const controller = new AbortController();
      const interrupted: Ways = {
        last() {
          controller.abort(new Error("the host stops"));
          return stopping.last({});
        },
      };
      expect(await act({ place, captured, ways: interrupted, options: { signal: controller.signal } })).toBe(
        "PULSE_INTERRUPTED",
      );
      expect(await act({ place, captured, codecs: encrypting({ k2 }, "k2") })).toBe("PULSE_INCOMPATIBLE");
      expect(await act({ place, captured, codecs: encrypting({ k1: k2 }, "k1") })).toBe("PULSE_INCOMPATIBLE");
      for (const damage of ["bit", "cut"] as const) {
        const noticed = (store: Store): Store => damagingStore(store, damage, "noticed");
        expect(await act({ place, captured, store: noticed })).toBe("PULSE_CORRUPT");
        const unnoticed = (store: Store): Store => damagingStore(store, damage, "made to fit");
        expect(await act({ place, captured, store: unnoticed })).toBe("PULSE_CHECKPOINT");
        expect(await act({ place, captured, store: unnoticed, options: { verify: "all" } })).toBe("PULSE_CORRUPT");
      }
      expect(await act({ place, captured, codecs: encrypting({ k1, k2 }, "k2") })).toBe("completed");
      expect(captured.traces([...secrets, ...keys])).toEqual([]);
    });

    test("DUR-4 CODEC-11 other inputs, fixed values and overrides are named and not shown", async () => {
      await using place = await open();
      const captured = new Captured();
      const controller = new AbortController();
      const interrupted: Ways = {
        last() {
          controller.abort();
          throw new Error("stopped");
        },
      };
      await act({ place, captured, ways: interrupted, options: { signal: controller.signal } });
      const other = [
        "other-pin-1111",
        "card-2222",
        "other-note-3333",
        "other-fixed-4444",
        "other-replaced-5555",
      ] as const;
      const [pin, card, note, fixed, replaced] = other;
      const given = [{ pin }, { card: { [texts.field]: card } }, { order: { id: "order-7", notes: [note] } }];
      for (const each of given) expect(await act({ place, captured, given: each })).toBe("PULSE_INCOMPATIBLE");
      expect(await act({ place, captured, ways: { ...well, fixed } })).toBe("PULSE_INCOMPATIBLE");
      const options = { overrides: { keys: { replaced } } };
      expect(await act({ place, captured, options })).toBe("PULSE_INCOMPATIBLE");
      expect(await act({ place, captured, options: { version: "2" } })).toBe("PULSE_INCOMPATIBLE");
      expect(captured.traces([...secrets, ...keys, ...other.map((text) => marked(text, text))])).toEqual([]);
    });

    test("CODEC-7 CODEC-11 values that are refused are not shown, whoever refuses them", async () => {
      const long = `long-note-${"x".repeat(300)}`;
      const refused: readonly (readonly [PulseErrorCode, object])[] = [
        ["PULSE_INVALID", { card: { forbidden: texts.card } }],
        ["PULSE_INVALID", { card: { [texts.field]: `other-${texts.card}` } }],
        ["PULSE_INVALID", { card: { [texts.field]: { [texts.pin]: texts.card } } }],
        ["PULSE_INVALID", { order: { id: "order-7", notes: [texts.note, long] } }],
        ["PULSE_CODEC", { pin: { [texts.pin]: (): string => texts.pin } }],
        ["PULSE_CODEC", { pin: `${texts.pin}\ud800` }],
      ];
      for (const [code, given] of refused) {
        await using place = await open();
        const captured = new Captured();
        expect(await act({ place, captured, given })).toBe(code);
        expect(captured.traces([...secrets, ...keys, marked("long", "long-note-xxxxx")])).toEqual([]);
      }
      await using place = await open();
      const captured = new Captured();
      const fixed = `${texts.fixed}\ud800`;
      expect(await act({ place, captured, ways: { ...well, fixed } })).toBe("PULSE_INVALID");
      expect(captured.traces([...secrets, ...keys])).toEqual([]);
    });

    test("CODEC-7 CODEC-11 what a body makes and cannot be stored is not shown, nor kept as the failure's text", async () => {
      const pair = { [texts.pin]: `${texts.made}\ud800` };
      for (const made of [
        `${texts.made}\ud800`,
        pair,
        [pair, () => texts.made],
        new Map([[texts.pin, Symbol(texts.made)]]),
      ]) {
        await using place = await open();
        const captured = new Captured();
        const options = { keepFailure: true };
        expect(await act({ place, captured, ways: { ...well, made }, options })).toBe("PULSE_RUN_FAILED");
        expect(await act({ place, captured, ways: { ...well, made } })).toBe("PULSE_RUN_FAILED");
        expect(captured.traces([...secrets, ...keys])).toEqual([]);
      }
    });

    test("DUR-16 CODEC-19 a run that is stopped and resumed at every save, with another current key each time, ends as undisturbed", async () => {
      for (const stop of ["interrupt", "lost", "uncertain"] as const) {
        await using place = await open();
        const captured = new Captured();
        let generation = 0;
        const all = { k1, k2, k3: randomBytes(32) };
        const registries = (["k1", "k2", "k3"] as const).map((current) => encrypting(all, current));
        const registry = (): Codecs => registries[generation % registries.length] as Codecs;
        const codecs: Codecs = {
          register: (codec) => registry().register(codec),
          forType: (given, name) => registry().forType(given, name),
        };
        const inEachProcess = () => {
          generation++;
          return secretGraph(well);
        };
        const { outcome, resumes } = await alwaysResume(inEachProcess, inputs, {
          store: place.open(),
          codecs,
          runId: "run",
          overrides,
          stop,
          observers: [(event) => captured.value(`event ${event.kind}`, event)],
        });
        expect(generation).toBeGreaterThan(4);
        expect(outcome.values).toEqual({
          done: "well done",
          made: texts.made,
          cards: [inputs.card, inputs.card],
          ordered: { order: inputs.order },
        });
        expect(resumes).toBeGreaterThan(4);
        await place.capture(captured);
        expect(captured.traces([...secrets, ...keys])).toEqual([]);
      }
    });

    test("CODEC-19 REC-8 a four-digit PIN as the only input cannot be found by trying all of them", async () => {
      await using place = await open();
      const captured = new Captured();
      const codecs = createCodecs();
      codecs.register(encrypt(structured(onlyType, { id: "only" }), { keys: { k1 } }));
      await onlyPin({ place, captured, codecs, value: "7318" });
      expect(guessed(captured)).toEqual([]);
    });
  });
}

const onlyType = type<string>("only");
const only = key("only", onlyType);
const copied = key("copied", onlyType);

interface OnlyPin {
  readonly place: RestingPlace;
  readonly captured: Captured;
  readonly codecs: Codecs;
  readonly value: string;
}

/** A run with a PIN as its only input, its only output and its only fixed value; captures what rests in the store. */
async function onlyPin({ place, captured, codecs, value }: OnlyPin): Promise<void> {
  const copy = node("copy", { requires: [only], provides: [copied] }, ({ only }) => ({ copied: only }));
  await using pulse = durable({ store: place.open(), codecs });
  await pulse.run(
    graph("only", { inputs: [only], outputs: [copied], nodes: [copy] }),
    { only: value },
    { runId: "pin", version: "1" },
  );
  await place.capture(captured);
}

/** Which PINs have a hash that is found in what was captured. */
function guessed(captured: Captured): readonly string[] {
  const hashes = hashesIn(captured);
  return pins.filter((pin) => guessesFor(pin, { input: "only", runId: "pin" }).some((guess) => hashes.has(guess)));
}
