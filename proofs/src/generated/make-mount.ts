import { chooseKeys, chooseLimits, makeGraph, outerRetries } from "./make-graph.ts";
import type { NodeMaking, RetryAround } from "./make-graph.ts";
import type { AspectPlan, GraphPlan, MountPlan, PlanValue } from "./run-plan.ts";

/** Virtual milliseconds. A mount's timeout runs while its inputs are made: longer than all that came before. */
const mountTimeoutsMs: readonly number[] = [1e4, 1e6, 1e8];
const neverMs = 2e9;

/** A mount; now and then two of one child. */
export function makeMounts(id: string, known: readonly string[], making: NodeMaking): readonly MountPlan[] {
  const { random, made, depth, around } = making;
  const outer = outerRetries(making);
  const own: RetryAround[] = [];
  const aspects: AspectPlan[] = [];
  const limits = chooseLimits(making, outer, random.pick([0, 1, 1, 2]));
  const caught = limits.length > 0 && random.chance(0.2);
  if (caught) aspects.push({ kind: "catch" });
  for (const [at, limit] of limits.entries()) {
    own.push({ depth, level: outer.length + at, limit });
    aspects.push({ kind: "retry", limit, delay: random.pick([0, 0, 5]), refuses: false });
  }
  const timed = own.length > 0 && made.mountTimeouts < mountTimeoutsMs.length && random.chance(0.3);
  const ownTimed = timed ? own : [];
  const child = makeGraph({
    random,
    made,
    depth: depth + 1,
    around: {
      retryAll: around.retryAll,
      weight: [...outer, ...own].reduce((product, { limit }) => product * limit, around.weight),
      retries: [...around.retries, ...outer, ...own],
      caught: [...around.caught, ...(caught ? own.slice(0, 1) : [])],
      timed: [...around.timed, ...ownTimed],
    },
  });
  // After its child: timeouts inside it are shorter.
  if (timed) aspects.push({ kind: "timeout", ms: mountTimeoutsMs[made.mountTimeouts] ?? neverMs });
  else if (random.chance(0.15)) aspects.push({ kind: "timeout", ms: neverMs });
  made.mountTimeouts += timed ? 1 : 0;
  if (random.chance(0.05)) aspects.push({ kind: "answer", fromTry: random.between(1, 2) });
  const count = !timed && random.chance(0.12) ? 2 : 1;
  return Array.from({ length: count }, (_, at) => ({
    kind: "mount" as const,
    id: at === 0 ? id : `${id}again`,
    child,
    ...wire(child, known, making),
    aspects,
  }));
}

function wire(child: GraphPlan, known: readonly string[], { random, newKey }: NodeMaking) {
  const wiredIn: Record<string, string> = {};
  const fix: Record<string, PlanValue> = {};
  for (const { name, optional } of child.inputs) {
    const [key] = chooseKeys(random, known, 2);
    if (optional && random.chance(0.25)) continue;
    if (key === undefined || random.chance(0.3)) fix[name] = { sum: random.between(0, 99), text: "fixed" };
    else wiredIn[name] = key;
  }
  const out = Object.fromEntries(child.outputs.filter(() => random.chance(0.8)).map((name) => [name, newKey()]));
  return { in: wiredIn, fix, out };
}
