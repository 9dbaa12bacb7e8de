import fc from "fast-check";
import { expect, test } from "vitest";
import { graph, isPulseError, mount, node, optional, retry } from "../index.ts";
import type { AnyGraph, AnyKey } from "../index.ts";
import { resumed } from "../testing/checkpointed.ts";
import { turn } from "../testing/deferred.ts";
import { fakeHost, seeded } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { RunRecord } from "../testing/run-record.ts";

/** A plain node of a random graph: requires keys of earlier nodes, fails in its first tries, skips or gives a number. */
interface Step {
  readonly sources: readonly { readonly from: number; readonly optional: boolean }[];
  readonly limit: number;
  /** How many tries fail; fewer than `limit`, but for a node that fails for good. */
  readonly failing: number;
  readonly skips: boolean;
  readonly async: boolean;
  /** In a child: the node fails for good in this many tries of the mount. */
  readonly failingMounts: number;
}

interface Place {
  readonly step: Step;
  /** Not empty: a mount of these steps, tried `limit` times. */
  readonly child: readonly Step[];
  readonly limit: number;
}

const limitMax = 3;
const sources = fc.array(fc.record({ from: fc.nat(), optional: fc.boolean() }), { maxLength: 3 });
const steps = fc.record<Step>({
  sources,
  limit: fc.integer({ min: 1, max: limitMax }),
  failing: fc.nat({ max: limitMax - 1 }),
  skips: fc.boolean(),
  async: fc.boolean(),
  failingMounts: fc.nat({ max: limitMax }),
});
const places = fc.array(
  fc.record<Place>({
    step: steps,
    child: fc.array(steps, { maxLength: 3 }),
    limit: fc.integer({ min: 1, max: limitMax }),
  }),
  { minLength: 1, maxLength: 5 },
);

const keyNames = [...Array(5).keys()];
const outerKeys = keyNames.map((index): AnyKey => numberKey(`k${index}`));
const innerKeys = keyNames.map((index): AnyKey => numberKey(`c${index}`));
const childInput = numberKey("input");

/** Told each body that starts: `scope/node`, its own try, and whether its node has a retry. */
type Started = (id: string, attempt: number, retried: boolean) => void;

function requiresOf({ sources: chosen }: Step, keys: readonly AnyKey[], index: number) {
  const bySource = new Map(index === 0 ? [] : chosen.map((source) => [source.from % index, source.optional]));
  return [...bySource].map(([from, mayMiss]) => {
    const key = keys[from] as AnyKey;
    return { key, entry: mayMiss ? optional(key) : key };
  });
}

function plainNode(
  id: string,
  step: Step,
  own: AnyKey,
  keys: readonly AnyKey[],
  index: number,
  started: Started,
  extra: readonly AnyKey[] = [],
) {
  const requires = [...requiresOf(step, keys, index), ...extra.map((key) => ({ key, entry: key }))];
  const aspects = step.limit > 1 ? [retry({ limit: step.limit })] : [];
  return node(
    id,
    { requires: requires.map(({ entry }) => entry), provides: [own], aspects },
    async (_values, context) => {
      const { idempotencyKey, attempt } = context;
      started(idempotencyKey, attempt, step.limit > 1);
      if (step.async) await turn();
      const total = requires.reduce((sum, { key }) => sum + Number(context.get(key as never) ?? 100), index + 1);
      const mountTry = Number(/@0#(\d+)\/[^/]+$/.exec(idempotencyKey)?.[1] ?? limitMax);
      if (mountTry <= step.failingMounts && mountTry < limitMax)
        throw new Error(`${idempotencyKey} fails this try of its mount`);
      if (attempt <= Math.min(step.failing, step.limit - 1)) throw new Error(`${idempotencyKey} fails try ${attempt}`);
      return { [own.name]: step.skips ? context.skip(own) : context.set(own, total) };
    },
  );
}

/** Mounts that are tried `limitMax` times outlast what fails in their children; others may fail the run for good. */
function graphOf(plan: readonly Place[], started: Started): AnyGraph {
  const nodes = plan.map(({ step, child, limit }, index) => {
    const own = outerKeys[index] as AnyKey;
    const from = outerKeys[index - 1];
    if (child.length === 0 || from === undefined) return plainNode(`n${index}`, step, own, outerKeys, index, started);
    const inner = graph(`child${index}`, {
      inputs: [optional(childInput)],
      outputs: child.map((_step, at) => innerKeys[at] as AnyKey),
      nodes: child.map((each, at) =>
        plainNode(`i${at}`, each, innerKeys[at] as AnyKey, innerKeys, at, started, at === 1 ? [childInput] : []),
      ),
    });
    return mount(`n${index}`, inner, {
      in: { input: from },
      out: { [(innerKeys[child.length - 1] as AnyKey).name]: own },
      aspects: [retry({ limit })],
    } as never);
  });
  return graph("random", { outputs: plan.map((_place, index) => outerKeys[index] as AnyKey), nodes });
}

/** How one phase of a run is disturbed. */
interface Disturbance {
  readonly kind: "crash before" | "crash after" | "cancel";
  readonly call: number;
}

/** Runs one phase: what is confirmed is restored, what is disturbed ends early. */
async function phase(plan: readonly Place[], record: RunRecord, seed: number, disturbance?: Disturbance) {
  const random = seeded(seed);
  const wrong: string[] = [];
  const started: Started = (id, attempt, retried) => {
    const cut = id.lastIndexOf("/");
    if (record.isConfirmed(id.slice(0, cut), id.slice(cut + 1))) wrong.push(`${id} runs again`);
    if (record.failed.has(retried ? `${id}@0#${attempt}` : id)) wrong.push(`${id} tries ${attempt} again`);
  };
  const { hooks, running } = resumed(graphOf(plan, started) as never, {} as never, record, {
    host: fakeHost({ seed, shuffled: true }),
    pace: async () => {
      if (random() < 0.3) await turn();
    },
    idempotencyKey: (scope, nodeId) => `${scope}/${nodeId}`,
  });
  if (disturbance?.kind === "cancel") hooks.atCall(disturbance.call, () => running.cancel("enough"));
  else if (disturbance !== undefined)
    hooks.crashAt(disturbance.call, disturbance.kind === "crash after" ? "after" : "before");
  running.start();
  const end = await running.wait().then(
    ({ outputs }) => ({ code: "completed", outputs }),
    (error: unknown) => ({ code: isPulseError(error) ? error.code : String(error), outputs: undefined }),
  );
  expect(wrong).toEqual([]);
  return end;
}

const disturbances = fc.array(
  fc.record<Disturbance>({
    kind: fc.constantFrom("crash before", "crash after", "cancel"),
    call: fc.integer({ min: 1, max: 30 }),
  }),
  { minLength: 1, maxLength: 4 },
);

test("CKPT-14 CKPT-19 CKPT-29 a run that crashes or is cancelled anywhere, any number of times, ends as the undisturbed one: outputs, budgets and record are equal, and no confirmed body runs again", async () => {
  let resumes = 0;
  let completed = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(places, disturbances, fc.nat(), async (plan, disturbed, seed) => {
      const undisturbed = new RunRecord();
      const expected = await phase(plan, undisturbed, seed);
      const record = new RunRecord();
      for (const disturbance of disturbed) {
        const end = await phase(plan, record, seed + 1, disturbance);
        expect(["PULSE_CHECKPOINT", "PULSE_INTERRUPTED", expected.code]).toContain(end.code);
        if (end.code !== expected.code) resumes++;
      }
      const end = await phase(plan, record, seed + 2);
      expect(end).toEqual(expected);
      if (expected.code === "completed") {
        completed++;
        expect(record.valid).toEqual(undisturbed.valid);
      } else failed++;
    }),
    { numRuns: 150 },
  );
  // The property means something only if all three happen.
  expect([resumes, completed, failed].every((count) => count > 10)).toBe(true);
});
