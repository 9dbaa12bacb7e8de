import fc from "fast-check";
import { graph } from "../graph.ts";
import type { AnyKey } from "../key.ts";
import { optional } from "../key.ts";
import type { AnyGraph } from "../mount.ts";
import { node, type Node } from "../node.ts";
import { retry } from "../aspects/retry.ts";
import { turn } from "./deferred.ts";
import { numberKey } from "./keys.ts";

/** What the body of one node of a random graph does. */
export type Deed = "value" | "skip-key" | "skip-node" | "forget" | "fail" | "fail-once";

/** One node of a random graph: node `i` provides key `k<i>` and requires keys of earlier nodes only. */
export interface Plan {
  readonly deed: Deed;
  readonly async: boolean;
  /** Writes with `set`, and goes on in a later turn. */
  readonly early: boolean;
  readonly requires: readonly { readonly from: number; readonly optional: boolean }[];
}

/** What the contract says becomes of a key. */
export type Fate = { readonly state: "ready"; readonly value: number } | { readonly state: "skipped" };

export const deeds: readonly Deed[] = ["value", "skip-key", "skip-node", "forget", "fail", "fail-once"];

/** Random plans of up to `most` nodes. */
export const plansOf = (most: number, allowed: readonly Deed[] = deeds): fc.Arbitrary<readonly Plan[]> =>
  fc
    .array(
      fc.record({
        deed: fc.constantFrom(...allowed),
        async: fc.boolean(),
        early: fc.boolean(),
        sources: fc.array(fc.record({ from: fc.nat(), optional: fc.boolean() }), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((nodes) =>
      nodes.map(({ sources, ...rest }, index) => {
        const bySource = new Map(index === 0 ? [] : sources.map((source) => [source.from % index, source.optional]));
        return { ...rest, requires: [...bySource].map(([from, mayMiss]) => ({ from, optional: mayMiss })) };
      }),
    );

/** The tiny model: the fate of each key, or the first node that fails. Nothing here knows of time. */
export function expectedOf(plans: readonly Plan[]): {
  readonly fates: readonly Fate[];
  readonly failing: readonly number[];
} {
  const fates: Fate[] = [];
  const failing: number[] = [];
  plans.forEach(({ deed, requires }, index) => {
    const found = requires.map((each) => ({ ...each, fate: fates.at(each.from) as Fate }));
    const allSkipped = found.every(({ fate }) => fate.state === "skipped") && found.some((each) => !each.optional);
    const hurt = found.some((each) => !each.optional && each.fate.state === "skipped");
    if (allSkipped || hurt || deed.startsWith("skip") || deed === "forget") fates.push({ state: "skipped" });
    else
      fates.push({
        state: "ready",
        value: found.reduce((sum, { fate }) => sum + (fate.state === "ready" ? fate.value : 100), index),
      });
    if (deed === "fail" && !allSkipped && !hurt) failing.push(index);
  });
  return { fates, failing };
}

/** The graph of the plans. Each body reads all that it requires before it does anything. */
export function graphOf(plans: readonly Plan[], started: (index: number) => void = () => {}): AnyGraph {
  const keys = plans.map((_plan, index): AnyKey => numberKey(`k${index}`));
  const nodes = plans.map((plan, index) => nodeOf(plan, index, keys, started));
  return graph("random", { outputs: keys, nodes });
}

function nodeOf(plan: Plan, index: number, keys: readonly AnyKey[], started: (index: number) => void): Node {
  const own = keys.at(index) as AnyKey;
  const requires = plan.requires.map((each) => {
    const required = keys.at(each.from) as AnyKey;
    return each.optional ? optional(required) : required;
  });
  const aspects = plan.deed === "fail-once" ? [retry({ limit: 2 })] : [];
  return node(`n${index}`, { requires, provides: [own], aspects }, (_values, context) => {
    started(index);
    const read = plan.requires.map(({ from }) => Number(context.get(keys.at(from) as AnyKey) ?? 100));
    const value = read.reduce((sum, each) => sum + each, index);
    const act = (): Record<string, unknown> => {
      if (plan.deed === "fail" || (plan.deed === "fail-once" && context.attempt === 1)) throw new Error(`n${index}`);
      if (plan.deed === "skip-node") return context.skip();
      if (plan.deed === "skip-key") return { [own.name]: context.skip(own) };
      if (plan.deed === "forget") return {};
      return { [own.name]: plan.early ? context.set(own, value) : value };
    };
    if (!plan.async) return act();
    if (!plan.early) return Promise.resolve().then(act);
    const result = act();
    return turn().then(() => result);
  });
}
