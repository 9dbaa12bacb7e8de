import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import type { AnyGraph, AnyKey } from "@pulse-ts/core";
import { handleMessages, reading, stream } from "@pulse-ts/core/streams";
import type { StreamKey, StreamReader } from "@pulse-ts/core/streams";
import { Planned, read, write } from "./bodies.ts";
import { living, tick } from "./life.ts";
import type { Life } from "./life.ts";
import { copiesOf, copyCapacity } from "./plan.ts";
import type { HandlerPlan, ReaderPlan } from "./plan.ts";
import { copyOf } from "./witness.ts";
import type { HandledState } from "./witness.ts";

const number = type<number>("number");
/** Mounts are built from plans, so their types cannot be known: the casts of this file stand for what `planOf` makes. */
type Part = Parameters<typeof graph>[1]["nodes"][number];
type NumberStream = StreamKey<string, number, number>;

interface Channel {
  readonly name: string;
  readonly capacity: number;
}

/** The stream as it is named in so many mounts: one key each. */
function inside({ name, capacity }: Channel, depth: number): NumberStream {
  const id = `${name} ${capacity} ${depth}`;
  const found = keys.get(id);
  if (found !== undefined) return found;
  const made = stream(depth === 0 ? name : `${name}-${depth}`, number, { capacity, position: number });
  keys.set(id, made);
  return made;
}
const keys = new Map<string, NumberStream>();

/** A part that requires or provides a stream, in so many mounts. */
function mounted(
  id: string,
  depth: number,
  part: Part,
  ends: { readonly in?: Channel; readonly out?: Channel; readonly plain?: AnyKey },
): Part {
  let within = part;
  for (let level = depth; level > 0; level--) {
    const named = (of: Channel | undefined, at: number) => (of === undefined ? [] : [inside(of, at)]);
    const inner = graph(`${id}-${level}`, {
      inputs: named(ends.in, level),
      outputs: [...named(ends.out, level), ...(ends.plain === undefined ? [] : [ends.plain])],
      nodes: [within],
    } as never);
    const renamed = (of: Channel | undefined) =>
      of === undefined ? {} : { [inside(of, level).name]: inside(of, level - 1) };
    const out = ends.plain === undefined ? {} : { [ends.plain.name]: ends.plain };
    within = mount(`${id}-${level}`, inner, {
      in: renamed(ends.in),
      out: { ...renamed(ends.out), ...out },
    } as never) as Part;
  }
  return within;
}

/** The path of the node within its mounts. */
const pathOf = (id: string, depth: number): string =>
  [...Array.from({ length: depth }, (_, at) => `${id}-${at + 1}`), id].join("/");

const total = key("total", number);
const copies: Channel = { name: "copies", capacity: copyCapacity };

/** The graph of a program, with the bodies of one process. */
export function programGraph(life: Life): { readonly graph: AnyGraph; readonly values: NumberStream } {
  const { plan } = life;
  const values: Channel = { name: "values", capacity: plan.capacity };
  const { handler, host } = plan;
  const output = inside(values, 0);
  const nodes = [
    mounted("write", plan.writer.depth, writerPart(life, inside(values, plan.writer.depth)), { out: values }),
    ...plan.readers.map((reader) => readerPart(life, values, reader)),
    ...(handler === undefined ? [] : handlerParts(life, values, handler)),
  ];
  const outputs = [...(handler === undefined ? [] : [total]), ...(host === undefined ? [] : [output])];
  return { graph: graph("program", { outputs, nodes } as never), values: output };
}

function writerPart(life: Life, of: NumberStream): Part {
  const { fails } = life.plan.writer;
  return node(
    "write",
    { provides: [of], resumable: true, aspects: [retry({ limit: fails.length })] },
    async (_, { open, attempt }) => {
      const out = await living(life, open(of));
      await write(life, out, attempt);
    },
  ) as Part;
}

function readerPart(life: Life, of: Channel, plan: ReaderPlan): Part {
  const { id, depth, group, limit } = plan;
  const named = inside(of, depth);
  const requires = [group === undefined ? named : reading(named, { group })];
  const part = node(id, { requires, aspects: [retry({ limit })] } as never, async (given, { attempt }) => {
    life.witness.begins(id, attempt, limit);
    // The cast stands for the one key that is required.
    const from = (given as Record<string, StreamReader<number>>)[named.name] as StreamReader<number>;
    await read(life, from, { stream: of.name, group: group ?? `/${pathOf(id, depth)}`, plan, attempt });
  });
  return mounted(id, depth, part as Part, { in: of });
}

function handlerParts(life: Life, values: Channel, plan: HandlerPlan): readonly Part[] {
  const from = inside(values, plan.depth);
  const to = inside(copies, plan.depth);
  const limit = plan.failsAfterwards + 1;
  const spec = { requires: [from], provides: [total, to], resumable: true, aspects: [retry({ limit })] };
  const part = node("handle", spec as never, async (given, context) => {
    const { attempt } = context;
    life.witness.begins("handle", attempt, limit);
    const reader = (given as Record<string, StreamReader<number>>)[from.name] as StreamReader<number>;
    if (life.random.chance(0.5)) await living(life, context.open(to as never));
    const settled = await handled(life, plan, reader, to);
    life.witness.handledAll(settled.state);
    if (attempt < limit) throw new Planned("after all messages");
    return { total: settled } as never;
  });
  const own = mounted("handle", plan.depth, part as Part, { in: values, out: copies, plain: total });
  return [own, ...plan.copyReaders.map((reader) => readerPart(life, copies, reader))];
}

async function handled(life: Life, plan: HandlerPlan, reader: StreamReader<number>, to: NumberStream) {
  const { witness } = life;
  const { limit, failing, stopAt, contributeAt } = plan;
  return await living(
    life,
    handleMessages(
      reader,
      async ({ value, sequence }, message) => {
        if (!life.alive) return await new Promise<never>(() => {});
        witness.is("values", sequence, value);
        const before = message.state.get() ?? { count: 0, sum: 0 };
        witness.handles(sequence, message.attempt, limit, before);
        if (sequence > (stopAt ?? Infinity))
          witness.fault(`message ${sequence} is handled after the stop at ${stopAt}`);
        const after = { count: before.count + 1, sum: before.sum + value };
        message.state.set(after);
        for (let at = 1; at <= copiesOf(sequence); at++) message.send(to, copyOf(sequence, at));
        if (sequence === contributeAt) message.set(total, after.sum);
        if (sequence === stopAt) message.stop();
        await living(life, tick(life));
        if (message.attempt > (failing.get(sequence) ?? 0)) return witness.did("handled");
        witness.messageFailed();
        witness.did("handler failed");
        if (message.attempt === limit) witness.fatal = true;
        throw new Planned("handler");
      },
      { limit, state: type<HandledState>("state") },
    ),
  );
}
