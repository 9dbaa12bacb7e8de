import { chooseKeys, chooseLimits, outerRetries } from "./make-graph.ts";
import type { NodeMaking, RetryAround } from "./make-graph.ts";
import type { AspectPlan, BodyPlan, Deed, FailPlan } from "./run-plan.ts";

/** Virtual milliseconds: a body begins when all that it takes is there, so its timeout waits for nobody. */
const bodyTimeoutMs = 10;
/** Above the size from which a file store keeps a value apart from the record. */
const longText = 20_000;

/** A body with its aspects and what it does. */
export function makeBody(id: string, known: readonly string[], making: NodeMaking): BodyPlan {
  const { random, made, depth, around } = making;
  const outer = outerRetries(making);
  const own: RetryAround[] = [];
  const aspects: AspectPlan[] = [];
  const limits = chooseLimits(making, outer, random.pick([0, 0, 0, 1, 1, 2]));
  // Only what a retry has held back can be written by a catch.
  const caught = limits.length > 0 && random.chance(0.25);
  if (caught) aspects.push({ kind: "catch" });
  for (const [at, limit] of limits.entries()) {
    own.push({ depth, level: outer.length + at, limit });
    aspects.push({ kind: "retry", limit, delay: random.pick([0, 0, 3]), refuses: random.chance(0.3) });
  }
  // What is waited for by the retry that counts: in this chain or, through it, in that of a mount above.
  const absorbers = [...around.retries, ...outer, ...own];
  const counting = absorbers[random.between(0, absorbers.length - 1)];
  const [first] = own;
  let fails: FailPlan | undefined;
  if (caught && first !== undefined && random.chance(0.6)) {
    // Through all tries, and into the catch.
    fails = { until: untilOf(first, first.limit), how: "throw" };
  } else if (counting !== undefined && counting.limit > 1 && random.chance(0.5)) {
    const through = around.caught.includes(counting) && random.chance(0.5);
    const until = untilOf(counting, through ? counting.limit : random.between(1, counting.limit - 1));
    fails = { until, how: own.includes(counting) ? "throw" : random.pick(["throw", "throw", "refused"]) };
    if (own.includes(counting) && random.chance(0.4)) {
      aspects.push({ kind: "timeout", ms: bodyTimeoutMs });
      fails = { until, how: random.pick(["hang", "hang", "hang", "deaf"]) };
    } else if (around.timed.includes(counting) && random.chance(0.5)) fails = { until, how: "hang" };
  }
  const hangs = fails?.how === "hang" || fails?.how === "deaf";
  made.hangs ||= hangs;
  // A place of a limiter is given back soon: what hangs takes none.
  if (!hangs && random.chance(0.2)) aspects.push({ kind: "limiter", at: random.between(0, made.limiters - 1) });
  if (random.chance(0.08)) aspects.push({ kind: "answer", fromTry: random.between(1, 2) });
  if (random.chance(0.15)) aspects.push({ kind: "pass" });
  const deed = random.pick<Deed>(["value", "value", "value", "value", "value", "skip-node", "skip-key", "forget"]);
  return {
    kind: "body",
    id,
    requires: chooseKeys(random, known, 3).map((key) => ({ key, optional: random.chance(0.4) })),
    provides: Array.from({ length: random.pick([1, 1, 1, 2, 0]) }, making.newKey),
    aspects,
    deed,
    ...(fails === undefined ? {} : { fails }),
    // What was written early is taken back only by a retry; a skip after it is a mistake (CORE-42).
    early: deed === "value" && fails === undefined && random.chance(0.3),
    turns: random.pick([0, 0, 1, 3]),
    textLength: random.chance(0.12) ? longText : random.between(0, 30),
  };
}

function untilOf({ depth, level }: RetryAround, tries: number) {
  return { depth, level, tries };
}
