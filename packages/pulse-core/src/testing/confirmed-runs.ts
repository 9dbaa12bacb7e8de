import { checkpoint } from "../checkpoint/index.ts";
import { execution, graph, key, node, type } from "../index.ts";
import type { Mount } from "../mount.ts";
import type { Node } from "../node.ts";
import { stream } from "../streams/index.ts";
import type { StreamReader } from "../streams/index.ts";
import type { StreamHooksOfTest } from "./stream-hooks.ts";

export const numbers = stream("numbers", type<number>("number"), { capacity: 2 });
export const total = key("total", type<number>("total"));
export const boom = new Error("boom");

/** Runs a graph of these nodes over controllable hooks. */
export function started(nodes: readonly (Node | Mount)[], own: StreamHooksOfTest, control?: AbortSignal) {
  const options = { checkpoint: checkpoint({ scope: "root", hooks: own.hooks }) };
  // The casts stand for nodes that only meet here, and for a graph without inputs.
  const writesTotal = nodes.some((each) => each.kind === "node" && each.provides.some((own) => own === total));
  const of = graph("g", { outputs: (writesTotal ? [total] : []) as never, nodes: nodes as never });
  const running = execution(of, {} as never, control === undefined ? options : { ...options, signal: control });
  running.start();
  return running;
}

/** Writes what it is told, one after the other. */
export const writing = (...values: readonly number[]) =>
  node("write", { provides: [numbers] }, async (_, { open }) => {
    const out = await open(numbers);
    for (const value of values) await out.send(value);
  });

/** A node that reads them. */
export const reading = (body: (reader: StreamReader<number>) => Promise<unknown>, id = "read") =>
  node(id, { requires: [numbers] }, async ({ numbers: reader }) => {
    await body(reader);
  });

/** Reads and acknowledges all. */
export const readAll = async (reader: StreamReader<number>): Promise<void> => {
  for await (const value of reader.values()) void value;
};
