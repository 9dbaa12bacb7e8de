import { execution, graph, node, retry, type } from "../index.ts";
import type { ExecutionOptions } from "../run/options.ts";
import type { Node, Snapshot } from "../index.ts";
import { reading, stream } from "../streams/index.ts";
import type { StreamDelivery, StreamReader } from "../streams/index.ts";
import { seeded } from "./fake-host.ts";

/** What a group has done, as its readers saw it: the small model of a stream (STR-5, STR-7, STR-46). */
interface GroupModel {
  /** What was delivered at least once. */
  readonly fresh: Set<number>;
  readonly acknowledged: Set<number>;
  /** Delivered and not acknowledged, by reader. */
  readonly held: Map<string, Map<number, number>>;
  /** To be delivered again, in order. */
  again: number[];
  stopped: boolean;
}

/** What a program was seen to do. Every fault is a sentence. */
export interface ProgramReport {
  readonly faults: readonly string[];
  readonly outcome: "completed" | "failed" | "interrupted";
  /** How often each thing was done: a test looks whether the programs reach it. */
  readonly done: Readonly<Record<string, number>>;
}

/** Runs one random program of sends, receives, sparse acknowledgements, stops, failures and cancellations against the model. */
export async function runProgram(seed: number, options: ExecutionOptions = {}): Promise<ProgramReport> {
  const random = seeded(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const chance = (of: number): boolean => random() < of;
  const capacity = 1 + pick(4);
  const messages = pick(12);
  const values = stream("values", type<number>(), { capacity, position: type<number>() });
  const faults: string[] = [];
  const done: Record<string, number> = {};
  const did = (what: string): void => void (done[what] = (done[what] ?? 0) + 1);
  const fault = (what: string): void => void faults.push(`seed ${seed}: ${what}`);
  const groups = new Map<string, GroupModel>();
  /** Values by sequence, as far as `send` has said so. */
  const accepted: number[] = [];
  const refused = new Set<number>();
  const valueOf = new Map<number, number>();
  let confirming = 0;
  const confirmed = options.checkpoint !== undefined;
  const shot = (): Snapshot["streams"][number] | undefined => handle.snapshot().streams[0];

  const look = (): void => {
    const told = shot();
    // What is being confirmed may be true already, and whoever waits for it not told yet.
    if (confirming > 0) return;
    // Of a stream that failed or was cancelled nothing can be acknowledged any more (STR-43).
    if (told === undefined || told.state === "failed" || told.state === "canceled") return;
    for (const group of told.groups) {
      const model = groups.get(group.name);
      if (model === undefined || model.stopped !== (group.state === "stopped")) continue;
      if (model.stopped || group.state === "ended") continue;
      let frontier = 0;
      while (model.acknowledged.has(frontier + 1)) frontier++;
      if (group.frontier !== frontier) fault(`frontier of ${group.name} is ${group.frontier}, not ${frontier}`);
      if (group.pending !== told.sent - model.acknowledged.size)
        fault(
          `pending of ${group.name} is ${group.pending}: sent ${told.sent}, acknowledged ${model.acknowledged.size}`,
        );
      if (group.pending > capacity) fault(`${group.name} has ${group.pending} of ${capacity}`);
    }
  };
  const tick = async (): Promise<void> => {
    for (let left = pick(4); left > 0; left--) await Promise.resolve();
  };

  const writer = (): Node => {
    const tries = 1 + pick(3);
    const fails = Array.from({ length: tries }, (_, at) => at < tries - 1 || chance(0.1));
    let next = 0;
    const spec = { provides: [values], resumable: true, aspects: [retry({ limit: tries })] };
    return node("write", spec, async (_values, { open, attempt }) => {
      const to = await open(values);
      const stopAt = fails[attempt - 1] ? next + pick(messages + 1 - next) : messages;
      const failing = fails[attempt - 1];
      while (next < stopAt) {
        await tick();
        const value = next++ * 7;
        const cancel = new AbortController();
        if (chance(0.2)) void tick().then(() => cancel.abort("send"));
        try {
          const stored = await to.sendAt(value, value, { signal: cancel.signal });
          if (stored) accepted.push(value);
          else {
            refused.add(value);
            if (!to.stopped) fault("send gave false while somebody reads");
          }
          did(stored ? "sent" : "sent to nobody");
          if (stored && to.position() !== value) fault(`position is ${to.position()} after ${value}`);
        } catch (error) {
          if (error !== "send") throw error;
          refused.add(value);
          did("send cancelled");
        }
        look();
      }
      if (failing) {
        did("writer's try failed");
        throw new Error("writer");
      }
    });
  };

  const reader = (id: string, group: string | undefined): Node => {
    const name = group ?? `/${id}`;
    const model: GroupModel = groups.get(name) ?? {
      fresh: new Set(),
      acknowledged: new Set(),
      held: new Map(),
      again: [],
      stopped: false,
    };
    groups.set(name, model);
    const limit = 1 + pick(3);
    const stops = chance(0.15);
    // Two readers that share a group and wait while they hold all of its capacity would wait for ever (STR-42).
    const heldMax = group === undefined ? capacity : Math.max(1, capacity >> 1);
    const spec = {
      requires: [group === undefined ? values : reading(values, { group })],
      aspects: [retry({ limit })],
    };
    return node(id, spec as never, async (given, { attempt }) => {
      const from = (given as { values: StreamReader<number> }).values;
      // What an earlier try held comes again.
      const older = model.held.get(id) ?? new Map<number, number>();
      if (!model.stopped) model.again = [...model.again, ...older.keys()].toSorted((x, y) => x - y);
      const held = new Map<number, number>();
      model.held.set(id, held);
      const deliveries: StreamDelivery<number>[] = [];
      const acknowledge = async (): Promise<void> => {
        const [delivery] = deliveries.splice(pick(deliveries.length), 1);
        if (delivery === undefined) return;
        const acknowledged = (): void => {
          if (!model.stopped) model.acknowledged.add(delivery.sequence);
          held.delete(delivery.sequence);
        };
        const settled = delivery.ack();
        // In memory it takes effect at once, with checkpoints when it is confirmed.
        if (confirmed) {
          confirming++;
          const isConfirmed = await settled.then(
            () => true,
            () => false,
          );
          confirming--;
          if (isConfirmed) acknowledged();
        } else acknowledged();
        look();
        await settled;
        if (chance(0.2)) await delivery.ack();
        did("acknowledged");
      };
      const failsAfter = attempt < limit && chance(0.5) ? pick(6) : Infinity;
      for (let step = 0; ; step++) {
        await tick();
        if (step >= failsAfter) {
          did("reader's try failed");
          throw new Error("reader");
        }
        if (stops && chance(0.15)) {
          // While a stop is being confirmed the group reads on (STR-22).
          if (!confirmed) model.stopped = true;
          await from.stop();
          model.stopped = true;
          did("stopped");
          return;
        }
        if (deliveries.length >= heldMax || (deliveries.length > 0 && chance(0.5))) {
          await acknowledge();
          continue;
        }
        const cancel = new AbortController();
        if (chance(0.3)) void tick().then(() => cancel.abort("receive"));
        let delivery: StreamDelivery<number> | undefined;
        try {
          delivery = await from.receive({ signal: cancel.signal });
        } catch (error) {
          if (error !== "receive") throw error;
          did("receive cancelled");
          continue;
        }
        if (delivery === undefined) {
          while (deliveries.length > 0) await acknowledge();
          did(model.stopped ? "end after a stop" : "end");
          return;
        }
        const { sequence, value } = delivery;
        const again = model.again.indexOf(sequence);
        if (again >= 0) {
          did("delivered again");
          // One reader of a shared group may see what it got before it waited only after another one has begun anew.
          if (again > 0 && group === undefined) fault(`${name} got ${sequence}, not ${model.again[0]}`);
          model.again.splice(again, 1);
        } else {
          if (group === undefined && (model.again.length > 0 || sequence !== model.fresh.size + 1))
            fault(`${name} got ${sequence}, not ${model.again[0] ?? model.fresh.size + 1}`);
          if (model.fresh.has(sequence)) fault(`${name} got ${sequence} twice`);
          model.fresh.add(sequence);
        }
        if (model.acknowledged.has(sequence)) fault(`${name} got ${sequence}, which it has acknowledged`);
        const known = valueOf.get(sequence) ?? value;
        valueOf.set(sequence, known);
        if (known !== value) fault(`message ${sequence} is ${value} and ${known}`);
        held.set(sequence, value);
        deliveries.push(delivery);
        look();
      }
    });
  };

  const shared = chance(0.4);
  const readers = ["a", "b", "c"]
    .slice(0, 1 + pick(3))
    .map((id) => reader(id, shared && id !== "c" ? "shared" : undefined));
  const nodes = [writer(), ...readers];
  const handle = execution(graph("program", { nodes: nodes as never }), {}, options);
  handle.start();
  if (chance(0.15)) {
    for (let left = pick(60); left > 0; left--) await Promise.resolve();
    handle.cancel("host");
    did("cancelled");
  }
  await handle.wait().catch(() => {});
  const outcome = handle.snapshot().state as ProgramReport["outcome"];
  const sent = shot()?.sent ?? 0;
  // A failed or cancelled program may have sent one that its writer was not told of.
  if (sent !== accepted.length && (outcome === "completed" || sent < accepted.length))
    fault(`sent ${sent}, and the writer was told of ${accepted.length}`);
  for (const [sequence, value] of valueOf)
    if ((accepted[sequence - 1] ?? value) !== value || refused.has(value)) fault(`message ${sequence} is ${value}`);
  if (outcome === "completed")
    for (const [name, model] of groups)
      if (!model.stopped && model.acknowledged.size !== sent)
        fault(`${name} acknowledged ${model.acknowledged.size} of ${sent}`);
  return { faults, outcome, done };
}
