import { graph, key, limiter, mount, node, optional, retry, type } from "@pulse-ts/core";
import type { AnyGraph, AnyKey, Aspect, Requirement } from "@pulse-ts/core";
import type { CrashSubject, NoteBody } from "@pulse-ts/store-testkit";
import { z } from "zod";
import { ownAspects } from "./build-aspects.ts";
import type { AspectParts } from "./build-aspects.ts";
import { bodyOf, valueFor } from "./body-of.ts";
import type { BodyPlan, GraphPlan, KeyPlan, MountPlan, PlanValue, RunPlan } from "./run-plan.ts";
import { makeWorld } from "./world.ts";

const valueSchema = z.strictObject({ sum: z.int(), text: z.string() });

export interface BuiltRun extends CrashSubject {
  /** The same graph as new objects, with limiters that nobody holds: as another process would have it. */
  readonly rebuilt: () => AnyGraph;
}

/** Makes a plan into a graph and what it is run with. `note` is told each start of a body. */
export function buildRun(plan: RunPlan, note: NoteBody): BuiltRun {
  const world = makeWorld(note);
  const retryAll: Aspect[] = plan.retryAll === undefined ? [] : [retry({ limit: plan.retryAll }), world.countTry(0)];
  const rebuilt = (): AnyGraph =>
    buildGraph(plan.graph, {
      world,
      limiters: plan.limiters.map((places) => limiter(places)),
      levelsAbove: plan.retryAll === undefined ? 0 : 1,
      built: new Map(),
    });
  const { overriddenKeys, overriddenNodes, concurrency, isolate, keepFailure, verify } = plan;
  const given = Object.entries(plan.inputs).filter(([, value]) => value !== undefined);
  const overrides = {
    keys: overriddenKeys,
    nodes: Object.fromEntries(overriddenNodes.map((id) => [id, overrideOf(plan.graph, id)])),
  };
  const overridden = Object.keys(overriddenKeys).length + overriddenNodes.length > 0;
  return {
    graph: rebuilt(),
    rebuilt,
    inputs: Object.fromEntries(given),
    version: "1",
    options: {
      isolate,
      keepFailure,
      ...(retryAll.length === 0 ? {} : { aspects: retryAll }),
      ...(overridden ? { overrides } : {}),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(verify ? { verify: "all" } : {}),
    },
  };
}

interface BuildParts extends AspectParts {
  /** One graph object for each plan: it may be mounted more than once. */
  readonly built: Map<GraphPlan, AnyGraph>;
}

function buildGraph(plan: GraphPlan, parts: BuildParts): AnyGraph {
  const known = parts.built.get(plan);
  if (known !== undefined) return known;
  const keys = new Map([...plan.inputs, ...plan.keys].map((one): readonly [string, AnyKey] => [one.name, keyOf(one)]));
  const find = (name: string): AnyKey => {
    const found = keys.get(name);
    if (found === undefined) throw new Error(`the plan of "${plan.name}" has no key "${name}"`);
    return found;
  };
  const around = ownAspects(plan.aspects, parts, { firstLevel: parts.levelsAbove, provides: [] });
  const below = { ...parts, firstLevel: around.nextLevel, find };
  const made = graph(plan.name, {
    inputs: plan.inputs.map((input): Requirement => (input.optional ? optional(find(input.name)) : find(input.name))),
    outputs: plan.outputs.map(find),
    nodes: plan.nodes.map((one) => (one.kind === "body" ? buildBody(one, below) : buildMount(one, below))),
    aspects: around.aspects,
  });
  parts.built.set(plan, made);
  return made;
}

interface NodeParts extends BuildParts {
  readonly firstLevel: number;
  readonly find: (name: string) => AnyKey;
}

function buildBody(plan: BodyPlan, parts: NodeParts) {
  const provides = plan.provides.map(parts.find);
  const requires = plan.requires.map(({ key, optional: mayMiss }): Requirement => {
    return mayMiss ? optional(parts.find(key)) : parts.find(key);
  });
  const { aspects } = ownAspects(plan.aspects, parts, { firstLevel: parts.firstLevel, provides });
  return node(plan.id, { requires, provides, aspects }, bodyOf(plan, { ...parts, provides, requires }));
}

function buildMount(plan: MountPlan, parts: NodeParts) {
  const byName = (names: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(names).map(([name, other]) => [name, parts.find(other)]));
  const out = byName(plan.out);
  const { aspects } = ownAspects(plan.aspects, parts, { firstLevel: parts.firstLevel, provides: Object.values(out) });
  // A graph made in a loop has no names that TypeScript could check; `validate` checks them at run time (CORE-26).
  const wires = { in: byName(plan.in), fix: plan.fix, out, aspects } as never;
  return mount(plan.id, buildGraph(plan.child, parts), wires);
}

function keyOf({ name, schema }: KeyPlan): AnyKey {
  return schema ? key(name, valueSchema) : key(name, type<PlanValue>("plan value"));
}

/** A body in the place of another: it gives the same values whatever it takes. */
function overrideOf(plan: GraphPlan, id: string) {
  const { provides = [] } = plan.nodes.find((one): one is BodyPlan => one.kind === "body" && one.id === id) ?? {};
  return () => Object.fromEntries(provides.map((name) => [name, valueFor(name, 1, 5)]));
}
