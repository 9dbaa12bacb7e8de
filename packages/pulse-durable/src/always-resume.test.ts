import { graph, limiter, node, retry } from "@pulse-ts/core";
import { randomInt } from "node:crypto";
import { expect, onTestFailed, test } from "vitest";
import { alwaysResume } from "./always-resume.ts";
import { durable } from "./durable.ts";
import { fakeHost } from "./fake-host.ts";
import type { StopKind } from "./faults/short-life.ts";
import { memoryStore } from "./memory-store.ts";
import type { Session, Store } from "./store.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { chainGraph, crashGraph, numberKey } from "./testing/graphs.ts";
import { smallGraph } from "./testing/small-graph.ts";

const kinds: readonly StopKind[] = ["interrupt", "lost", "uncertain"];
const made = numberKey("made");
const call = { runId: "run", version: "1" };

test("DUR-16 DUR-8 a run that is stopped and resumed at every save has the outcome of an undisturbed one", async () => {
  const undisturbed = await durable({ store: memoryStore() }).run(
    crashGraph(() => {}),
    { start: 5 },
    call,
  );
  for (const stop of kinds) {
    const store = memoryStore();
    const { outcome, resumes } = await alwaysResume(() => crashGraph(() => {}), { start: 5 }, { store, stop });
    expect(outcome.outputs).toEqual(undisturbed.outputs);
    const { header } = await store.catalog.read("always-resume");
    expect(header.status).toBe("completed");
    // A stop at each save. The last resume found it completed, and so it is not counted in the record (DUR-28).
    expect({ stop, resumes }).toEqual({ stop, resumes: header.revision });
    expect(header.resumes).toBe(resumes - 1);
  }
});

test("DUR-16 DUR-8 small graphs of a seed have the outcome of an undisturbed run, stopped in every way at every save", async () => {
  const seed = Number(process.env["PULSE_SEED"] ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`PULSE_SEED=${seed}`));
  for (let at = 0; at < 3; at += 1) {
    const build = (scopes: Map<string, string[]>) => {
      const { random } = fakeHost({ seed: seed + at });
      return smallGraph((below) => Math.floor(random() * below), { called: () => {}, scopes });
    };
    const inputs = { start: 5 } as never;
    const undisturbed = await durable({ store: memoryStore() }).run(build(new Map()), inputs, call);
    for (const stop of kinds) {
      // What the bodies saw of their scopes belongs to the world outside, which outlives each process.
      const scopes = new Map<string, string[]>();
      const { outcome } = await alwaysResume(() => build(scopes), inputs, { stop });
      expect({ stop, outputs: outcome.outputs }).toEqual({ stop, outputs: undisturbed.outputs });
    }
  }
});

test("DUR-16 what is confirmed runs once, and what was lost runs again", async () => {
  const calls = async (stop: StopKind): Promise<readonly number[]> => {
    const called: string[] = [];
    const { graph: chain } = chainGraph(5, (id) => called.push(id));
    const { outcome } = await alwaysResume(chain, { start: 0 }, { stop });
    expect(Object.values(outcome.values)).toEqual([5]);
    return Array.from({ length: 5 }, (_, at) => called.filter((id) => id === `node${at}`).length);
  };
  expect(await calls("interrupt")).toEqual([1, 1, 1, 1, 1]);
  expect(await calls("uncertain")).toEqual([1, 1, 1, 1, 1]);
  expect(await calls("lost")).toEqual([2, 2, 2, 2, 2]);
});

test("DUR-16 a run that fails, fails in the end as its record tells", async () => {
  const failing = graph("failing", {
    outputs: [made],
    nodes: [
      node("breaks", { provides: [made], aspects: [retry({ limit: 3 })] }, (_values, { attempt }) => {
        throw new Error(`no ${attempt}`);
      }),
    ],
  });
  for (const stop of kinds) {
    const store = memoryStore();
    const error = await rejectionOf("PULSE_RUN_FAILED", alwaysResume(failing, {}, { store, stop, keepFailure: true }));
    expect(error.details).toMatchObject({ runId: "always-resume", path: "breaks", next: "new-run-id" });
    expect(error.message).toContain("used up its 3 tries");
    // Opened, three failures, and the end: no budget was spent twice.
    expect((await store.catalog.read("always-resume")).header).toMatchObject({ revision: 5, status: "failed" });
  }
});

test("DUR-16 DUR-17 a fake host is moved by itself: delays of hours cost nothing", async () => {
  const host = fakeHost();
  const began = host.now();
  const slow = graph("slow", {
    outputs: [made],
    nodes: [
      node("slow", { provides: [made], aspects: [retry({ limit: 3, delay: 3_600_000 })] }, (_values, { attempt }) => {
        if (attempt < 3) throw new Error("not yet");
        return { made: attempt };
      }),
    ],
  });
  for (const stop of kinds) {
    const { outcome } = await alwaysResume(slow, {}, { host, stop });
    expect(outcome.values).toEqual({ made: 3 });
  }
  // A delay begins again after a resume; that of a process which is stopped at once is not waited for.
  expect(host.now() - began).toBeGreaterThanOrEqual(2 * 3_600_000);
});

test("DUR-16 a graph with a limiter is built anew for each process", async () => {
  const made = Array.from({ length: 4 }, (_, at) => numberKey(`made${at}`));
  const build = () => {
    const one = limiter(1);
    return graph("limited", {
      outputs: made,
      nodes: made.map((out, at) => node(out.name, { provides: [out], aspects: [one] }, () => ({ [out.name]: at }))),
    });
  };
  for (const stop of kinds) {
    const { outcome } = await alwaysResume(build, {}, { stop });
    expect(Object.values(outcome.values)).toEqual([0, 1, 2, 3]);
  }
});

test("DUR-16 what a run is refused for is thrown as it is, and a run that is there is not touched", async () => {
  const store = memoryStore();
  const { graph: chain } = chainGraph(2);
  await durable({ store }).run(chain, { start: 0 }, call);
  await rejectionOf("PULSE_CONFLICT", alwaysResume(chain, { start: 0 }, { ...call, store }));
  await rejectionOf("PULSE_INVALID", alwaysResume(chain, {} as never, { store }));
  await rejectionOf("PULSE_INTERRUPTED", alwaysResume(chain, { start: 0 }, { store, signal: AbortSignal.abort() }));
  expect((await store.catalog.read("run")).header).toMatchObject({ revision: 3, resumes: 0 });
});

/** A store whose sessions are changed. */
function storeWith(change: (session: Session) => Partial<Session>): Store {
  const memory = memoryStore();
  return {
    acquire: async (runId, options) => {
      const session = await memory.acquire(runId, options);
      return { ...session, ...change(session) };
    },
  };
}

test("DUR-16 STORE-3 a store that loses a save it confirmed is found out", async () => {
  let saves = 0;
  const forgetful = storeWith((session) => ({
    save: async (...saved) => {
      saves += 1;
      if (saves !== 3) await session.save(...saved);
    },
  }));
  const { graph: chain } = chainGraph(5);
  await expect(alwaysResume(chain, { start: 0 }, { store: forgetful })).rejects.toThrow(
    'run "always-resume" was stopped at every save, and its store gave revision 2 after it had confirmed 3',
  );
});

test("DUR-16 a run that gets nowhere ends with an error", async () => {
  const { graph: chain } = chainGraph(20);
  const error = await rejectionOf("PULSE_USAGE", alwaysResume(chain, { start: 0 }, { processesMax: 10 }));
  expect(error.details).toEqual({ rule: "DUR-16", runId: "always-resume", next: "resume" });
  expect(error.message).toContain("was resumed 9 times");
});
