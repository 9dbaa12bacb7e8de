import { graph, mount, node, optional, retry } from "@pulse-ts/core";
import type { AnyGraph, AnyKey, BaseContext } from "@pulse-ts/core";
import { numberKey } from "./graphs.ts";

/** One start of a body: the path and the try, and which of its mount's tries it stands in, from 1. */
export interface BodyStart {
  readonly path: string;
  readonly attempt: number;
  readonly scope: number;
}

/** What a small graph and its processes have in common: the world outside of them. */
export interface SmallWorld {
  /** Told before a body does anything. */
  readonly called: (body: BodyStart) => void;
  /** The scopes that a path was seen in, by idempotency key: a child scope is confirmed before any body in it runs. */
  readonly scopes: Map<string, string[]>;
}

/** Picks an integer from 0 to below its argument. */
export type Pick = (below: number) => number;

const start: AnyKey = numberKey("start");
const end: AnyKey = numberKey("end");

/**
 * A small graph that the picks decide, with retries, skips, optional keys, mounts and retries around mounts. What a body does
 * depends on its values and on which try it is; none fails for good. From the input `start` to the output `end`.
 */
export function smallGraph(pick: Pick, world: SmallWorld): AnyGraph {
  return partOf(pick, world, { depth: 0, scopesFailing: 0 });
}

interface Part {
  readonly depth: number;
  /** How many tries of the mount around it fail. */
  readonly scopesFailing: number;
}

function partOf(pick: Pick, world: SmallWorld, { depth, scopesFailing }: Part): AnyGraph {
  const keys: AnyKey[] = [start];
  const nodes = Array.from({ length: 2 + pick(3) }, (_, at) => {
    const key: AnyKey = numberKey(`k${at}`);
    const sources = keys.filter((_key, index) => index === keys.length - 1 || pick(2) === 0);
    keys.push(key);
    if (depth > 0 || pick(3) > 0) return plainNode(`n${at}`, key, sources, pick, world, at === 0 ? scopesFailing : 0);
    const failing = pick(2);
    const child = partOf(pick, world, { depth: depth + 1, scopesFailing: failing });
    const wires = { in: { start: sources[0] as AnyKey }, out: { end: key }, aspects: [retry({ limit: 2 })] };
    return mount(`m${at}`, child, wires);
  });
  const last = node("end", { requires: keys.map((key) => optional(key)), provides: [end] }, (values, context) => {
    note(world, context);
    return { end: sum(values) };
  });
  const all = [...nodes, last];
  return graph(`small${depth}`, { inputs: [start], outputs: [end], nodes: all });
}

function plainNode(
  id: string,
  key: AnyKey,
  sources: readonly AnyKey[],
  pick: Pick,
  world: SmallWorld,
  scopesFailing: number,
) {
  const limit = 1 + pick(3);
  const failing = pick(limit);
  const skips = pick(5) === 0;
  const turns = pick(4);
  const requires = sources.map((source) => (pick(3) === 0 ? optional(source) : source));
  return node(id, { requires, provides: [key], aspects: [retry({ limit })] }, async (values, context) => {
    const { attempt, scope } = note(world, context);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    if (scope <= scopesFailing) throw new Error(`the mount's try ${scope} fails`);
    if (attempt <= failing) throw new Error(`try ${attempt} fails`);
    if (skips) return context.skip();
    return { [key.name]: sum(values) + attempt };
  });
}

function note(world: SmallWorld, { path, attempt, idempotencyKey }: BaseContext): BodyStart {
  const seen = world.scopes.get(path) ?? [];
  if (!seen.includes(idempotencyKey)) world.scopes.set(path, [...seen, idempotencyKey]);
  const body = { path, attempt, scope: (world.scopes.get(path) ?? []).indexOf(idempotencyKey) + 1 };
  world.called(body);
  return body;
}

const sum = (values: object): number =>
  Object.values(values).reduce((total: number, value: unknown) => total + (typeof value === "number" ? value : 0), 1);
