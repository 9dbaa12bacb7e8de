import { graph, key, node, optional } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { z } from "zod";
import { addUp, countLines, nothingCounted } from "../log/count-lines.ts";
import { portionsFrom } from "../log/growing-file.ts";
import { Problem } from "../problem.ts";
import { minuteCounts, place, portion, result, tally, totals } from "../values.ts";
import { outside, portionLinesMax } from "./outside.ts";

const log = key("log", z.string());
const prefix = key("prefix", z.string());

/** How far the reading may be ahead of the counting. */
const portions = stream("portions", portion, { capacity: 8, position: place });
/** All minutes that one portion can end must fit at once (STR-17). */
const minutes = stream("minutes", minuteCounts, { capacity: portionLinesMax + 1 });
const counted = key("counted", totals);
const box = key("box", z.string());
const summary = key("summary", result);

/** Sends the file's lines, and saves with each message up to which byte they go: a resumed run goes on from there. */
const tail = node(
  "tail",
  { requires: [log], provides: [portions], resumable: true },
  async ({ log: path }, { open, signal, attachment }) => {
    const { follow, linesMax, see, interrupt } = attachment(outside);
    const writer = await open(portions);
    const from = writer.position();
    if (from !== undefined) see({ kind: "resumed", bytes: from.bytes });
    try {
      for await (const next of portionsFrom(path, from, { follow, linesMax, signal })) {
        await writer.sendAt(next.place, next.portion);
        see({
          kind: "sent",
          lines: next.portion.lines.length,
          bytes: next.place.bytes,
          fileBytes: next.fileBytes,
        });
      }
    } catch (error) {
      if (error instanceof Problem) interrupt(error);
      throw error;
    }
  },
);

/** Counts, and sends each minute on when it is over. Its state and its messages move with the acknowledgement, or not at all. */
const count = node(
  "count",
  // It sends in its handler alone, with the acknowledgement: whatever it sends next follows from what it reads next.
  { requires: [portions, prefix], provides: [minutes, counted], resumable: true },
  async ({ portions: reader, prefix: wanted }) => ({
    counted: await handleMessages(
      reader,
      ({ value: { lines, last } }, { state, send, set }) => {
        const { tally: next, ended } = countLines(state.get() ?? nothingCounted, lines, wanted);
        for (const minute of ended) send(minutes, minute);
        if (!last) return state.set(next);
        if (next.open !== undefined) send(minutes, next.open);
        set(counted, { lines: next.lines, unread: next.unread });
      },
      { state: tally, maxStaged: portionLinesMax + 2 },
    ),
  }),
);

/** Writes each minute into a box outside, once: a crash may repeat the message, but not its key. */
const deliver = node(
  "deliver",
  { requires: [minutes], provides: [box] },
  async ({ minutes: reader }, { idempotencyKey, attachment }) => {
    const { box: boxOf, see } = attachment(outside);
    const outbox = boxOf(idempotencyKey);
    await handleMessages(reader, async ({ value, sequence }) => {
      const written = await outbox.put(String(sequence).padStart(8, "0"), JSON.stringify(value));
      see({ kind: "delivered", minute: value.minute, written });
    });
    return { box: idempotencyKey };
  },
);

/** Adds up the box and writes the result file. */
const report = node(
  "report",
  { requires: [counted, optional(box)], provides: [summary] },
  async (values, { attachment }) => {
    const { box: boxOf, writeResult } = attachment(outside);
    const texts = values.box === undefined ? [] : await boxOf(values.box).texts();
    const found = { ...values.counted, minutes: addUp(texts.map((text) => minuteCounts.parse(JSON.parse(text)))) };
    await writeResult(`${JSON.stringify(found, undefined, 1)}\n`);
    return { summary: found };
  },
);

/** A growing access log, counted by minute and status. */
export const tailGraph = graph("tail-and-aggregate", {
  inputs: [log, prefix],
  outputs: [summary],
  nodes: [tail, count, deliver, report],
});
