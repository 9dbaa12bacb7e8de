import { makeBody } from "./make-body.ts";
import { makeMounts } from "./make-mount.ts";
import type { Random } from "./random.ts";
import type { AspectPlan, GraphPlan, InputPlan, KeyPlan, NodePlan } from "./run-plan.ts";

/** What is counted over a whole run while it is made. */
export interface Made {
  /** Nodes that may still be made. */
  size: number;
  graphs: number;
  /** Timeouts of mounts so far: each is much longer than all before it together. */
  mountTimeouts: number;
  /** Some body hangs. */
  hangs: boolean;
  readonly limiters: number;
}

/** A retry around a body: the chain that it is in, by the depth of its graph, and which of that chain's retries. */
export interface RetryAround {
  readonly depth: number;
  readonly level: number;
  readonly limit: number;
}

/** What stands around the graph that is made. */
export interface Around {
  /** Tries of the retry that the run puts around every chain. */
  readonly retryAll: number | undefined;
  /** How often all retries around it may run it. */
  readonly weight: number;
  /** In the chains of the mounts above, outermost first. */
  readonly retries: readonly RetryAround[];
  /** Those of the retries that have a catch around them: there a body may fail in every try. */
  readonly caught: readonly RetryAround[];
  /** Those of the retries that have a timeout inside them: there a body may hang. */
  readonly timed: readonly RetryAround[];
}

export interface Making {
  readonly random: Random;
  readonly made: Made;
  /** 0 for the root graph. */
  readonly depth: number;
  readonly around: Around;
}

const depthMax = 3;

/** A graph of a few nodes; mounts have their children made in the same way. */
export function makeGraph(making: Making): GraphPlan {
  const { random, made, depth } = making;
  made.graphs += 1;
  const name = `g${made.graphs}`;
  const inputs = Array.from({ length: random.between(depth === 0 ? 1 : 0, 2) }, (_, at): InputPlan => ({
    name: `${name}-in${at}`,
    schema: random.chance(0.5),
    optional: random.chance(0.4),
  }));
  const aspects = graphAspects(random);
  const keys: KeyPlan[] = [];
  const nodes: NodePlan[] = [];
  const newKey = (): string => {
    const key = { name: `${name}-k${keys.length}`, schema: random.chance(0.5) };
    keys.push(key);
    return key.name;
  };
  const known = (): readonly string[] => [...inputs, ...keys].map((key) => key.name);
  const inner: NodeMaking = { ...making, graphAspects: aspects, newKey };
  const most = depth === 0 ? random.between(3, 6) : random.between(1, 3);
  for (let at = 0; at < most && (made.size > 0 || at === 0); at += 1) {
    made.size -= 1;
    const id = `${depth === 0 ? "" : "i"}n${nodes.length}`;
    const mounts = depth < depthMax && made.size > 1 && random.chance(depth === 0 ? 0.45 : 0.35);
    if (mounts) nodes.push(...makeMounts(id, known(), inner));
    else nodes.push(makeBody(id, known(), inner));
  }
  const own = keys.map((key) => key.name);
  const passed = inputs.filter(() => depth > 0 && random.chance(0.2)).map((input) => input.name);
  return { name, inputs, nodes, keys, outputs: [...own.filter(() => random.chance(0.7)), ...passed], aspects };
}

/** A body may run so often at most: retries inside retries multiply. */
const weightMax = 24;

/** Limits for up to `count` retries of one chain, as far as the bodies inside can bear them. */
export function chooseLimits(
  { random, around }: NodeMaking,
  outer: readonly RetryAround[],
  count: number,
): readonly number[] {
  const limits: number[] = [];
  let weight = outer.reduce((product, { limit }) => product * limit, around.weight);
  for (let at = 0; at < count; at += 1) {
    const limit = random.between(at === 0 ? 2 : 1, 3);
    if (weight * limit > weightMax) break;
    weight *= limit;
    limits.push(limit);
  }
  return limits;
}

/** For the makers of nodes. */
export interface NodeMaking extends Making {
  readonly graphAspects: readonly AspectPlan[];
  readonly newKey: () => string;
}

/** A graph's own aspects are around each of its nodes: seldom, as they multiply. */
function graphAspects(random: Random): readonly AspectPlan[] {
  return [
    ...(random.chance(0.2) ? [{ kind: "pass" } as const] : []),
    ...(random.chance(0.12) ? [{ kind: "retry", limit: 2, delay: 0, refuses: false } as const] : []),
  ];
}

/** The retries that a node's chain has before its own ones: the run's, then its graph's. */
export function outerRetries({ around, graphAspects: aspects, depth }: NodeMaking): readonly RetryAround[] {
  const all = around.retryAll === undefined ? [] : [{ depth, level: 0, limit: around.retryAll }];
  const own = aspects.filter((aspect) => aspect.kind === "retry");
  return [...all, ...own.map(({ limit }, at) => ({ depth, level: all.length + at, limit }))];
}

/** The keys that a node takes: a few of those that are there already. */
export function chooseKeys(random: Random, known: readonly string[], most: number): readonly string[] {
  const chosen = new Set<string>();
  const [first, ...rest] = known;
  if (first === undefined) return [];
  for (let count = random.between(0, most); count > 0; count -= 1) chosen.add(random.pick([first, ...rest]));
  return [...chosen];
}
