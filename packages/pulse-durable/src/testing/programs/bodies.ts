import type { StreamDelivery, StreamReader, StreamWriter } from "@pulse-ts/core/streams";
import { living, tick } from "./life.ts";
import type { Life } from "./life.ts";
import type { ReaderPlan } from "./plan.ts";

/** A failure that the plan asks for. */
export class Planned extends Error {}

/** Sends the messages from the saved position on; some sends are cancelled, some are under way together. */
export async function write(life: Life, out: StreamWriter<number, number>, attempt: number): Promise<void> {
  const { plan, witness, random } = life;
  const { fails, cancels } = plan.writer;
  witness.begins("write", attempt, fails.length);
  witness.continues(out.position());
  const failsAt = fails[attempt - 1];
  for (let next = (out.position() ?? 0) + 1; ;) {
    await living(life, tick(life));
    if (failsAt !== undefined && next > failsAt) {
      if (attempt === fails.length) witness.fatal = true;
      witness.did("writer's try failed");
      throw new Planned("writer");
    }
    if (next > plan.messages) return;
    const together = random.chance(0.2) ? Math.min(1 + random.below(3), plan.messages + 1 - next) : 1;
    const sends = Array.from({ length: together }, (_, at) =>
      send(life, out, next + at, together === 1 && random.chance(cancels)),
    );
    next += together;
    await living(life, Promise.all(sends));
  }
}

async function send(
  life: Life,
  out: StreamWriter<number, number>,
  position: number,
  cancelled: boolean,
): Promise<void> {
  const { witness } = life;
  const value = witness.sending(position);
  const cancel = new AbortController();
  if (cancelled) void tick(life).then(() => cancel.abort("send"));
  try {
    const stored = await living(life, out.sendAt(position, value, { signal: cancel.signal }));
    witness.settled(value, stored ? "yes" : "no");
    witness.did(stored ? "sent" : "sent to nobody");
    if (!stored && !out.stopped && !life.interrupted) witness.fault("send gave false while somebody reads");
  } catch (error) {
    witness.settled(value, error === "send" ? "no" : "maybe");
    if (error !== "send") throw error;
    witness.did("send cancelled");
  }
}

/** Reads a stream to its end: acknowledges in any order, cancels some waits, stops or fails as planned. */
export async function read(
  life: Life,
  from: StreamReader<number>,
  at: { readonly stream: string; readonly group: string; readonly plan: ReaderPlan; readonly attempt: number },
): Promise<void> {
  const { witness, random } = life;
  const { plan, stream, group, attempt } = at;
  const model = witness.group(`${stream} ${group}`);
  model.held.set(plan.id, new Set());
  const deliveries: StreamDelivery<number>[] = [];
  const failsAfter = plan.fails[attempt - 1] ?? Infinity;
  let last = 0;
  const acknowledge = async (): Promise<void> => {
    const [delivery] = deliveries.splice(random.below(deliveries.length), 1);
    if (delivery === undefined) return;
    const { sequence } = delivery;
    model.acknowledged.set(sequence, "asked");
    try {
      await living(life, delivery.ack());
    } catch (error) {
      model.acknowledged.set(sequence, "maybe");
      throw error;
    }
    if (model.stopped === "no") model.acknowledged.set(sequence, "yes");
    model.held.get(plan.id)?.delete(sequence);
    witness.did("acknowledged");
    if (random.chance(0.2)) await living(life, delivery.ack());
  };
  for (let step = 0; ; step++) {
    await living(life, tick(life));
    if (step >= failsAfter) {
      if (attempt === plan.limit) witness.fatal = true;
      witness.did("reader's try failed");
      throw new Planned("reader");
    }
    if (random.chance(plan.stops)) {
      model.stopped = "asked";
      await living(life, from.stop());
      // Before the stream was opened there is nothing to record, nor when the run was interrupted: a host that subscribes again
      // decides again.
      model.stopped = life.interrupted || (plan.id === "host" && last === 0) ? "maybe" : "yes";
      return witness.did("reader stopped");
    }
    if (deliveries.length >= plan.heldMax || (deliveries.length > 0 && random.chance(0.5))) {
      await acknowledge();
      continue;
    }
    const before = model.stopped;
    const delivery = await receive(life, from);
    if (delivery === "cancelled") continue;
    if (delivery === undefined) {
      while (deliveries.length > 0) await acknowledge();
      return witness.did(model.stopped === "no" ? "end" : "end after a stop");
    }
    const { sequence, value } = delivery;
    if (before === "yes") witness.fault(`${group} of ${stream} got ${sequence} after its stop`);
    witness.delivered({ stream, group, reader: plan.id, shared: group === "shared", last }, sequence, value);
    last = sequence;
    deliveries.push(delivery);
  }
}

async function receive(
  life: Life,
  from: StreamReader<number>,
): Promise<StreamDelivery<number> | "cancelled" | undefined> {
  const cancel = new AbortController();
  if (life.random.chance(0.3)) void tick(life).then(() => cancel.abort("receive"));
  try {
    return await living(life, from.receive({ signal: cancel.signal }));
  } catch (error) {
    if (error !== "receive") throw error;
    life.witness.did("receive cancelled");
    return "cancelled";
  }
}
