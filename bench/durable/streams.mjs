// Durable streams on each store beside its raw medium, in turn in the same process. Progress on stderr, the table on stdout.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durable, entriesOf, memoryStore, packEntry } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import { rawMs } from "./medium.mjs";
import { shown, spreadOf } from "./spread.mjs";
import { streamOf } from "./stream-graphs.mjs";

const workloads = [
  { name: "one send at a time", inFlight: 1, handles: false, messages: 1000 },
  { name: "64 sends in flight", inFlight: 64, handles: false, messages: 20_000, aim: 20 },
  { name: "one send at a time, handled with state", inFlight: 1, handles: true, messages: 1000 },
];
const bytes = 100;
const roundsLeast = 3;
/** The record after so many acknowledged messages; at most `sizeAim` times that of the shortest. */
const sizes = [100, 10_000, 1_000_000];
const sizeAim = 1.2;
/** The record is the same on every store: it is measured in memory, where a million messages take minutes, not hours. */
const sizeInFlight = 64;

const mediums = {
  async file() {
    const folder = await mkdtemp(join(tmpdir(), "pulse-bench-"));
    return {
      name: "files",
      raw: "a raw append + fdatasync",
      openStore: async () => fileStore({ folder: join(folder, "runs") }),
      rawMs: (count, size) => rawMs(folder, count, size),
      close: () => rm(folder, { recursive: true }),
    };
  },
  sqlite: async () => await (await import("../stores/sqlite.mjs")).openSqlite(),
  postgres: async () => await (await import("../stores/postgres.mjs")).openPostgres(),
};

/** `seconds`: how long each workload is repeated; `quick`: small, to see that it works; `json`: figures in place of tables. */
export async function durableStreamsTable({ store, seconds, quick, json }) {
  const medium = await mediums[store]();
  const say = (text) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${medium.name}: ${text}\n`);
  const results = { medium: medium.name, workloads: [], sizes: [] };
  try {
    for (const workload of workloads) {
      say(workload.name);
      results.workloads.push(await measure(medium, quick ? { ...workload, messages: 100 } : workload, seconds));
    }
    for (const messages of quick ? sizes.slice(0, 1) : sizes) {
      say(`the record after ${messages} messages`);
      results.sizes.push({ messages, ...(await sizeAfter(messages)) });
    }
  } finally {
    await medium.close();
  }
  console.log(json ? JSON.stringify(results, undefined, 2) : markdown(medium, results));
}

let runs = 0;

async function once(store, { messages, inFlight, handles }) {
  const pulse = durable({ store });
  let saves = 0;
  let saved = 0;
  const observers = [
    (event) => {
      if (event.kind !== "run-saved") return;
      saves += 1;
      saved += event.bytes;
    },
  ];
  const runId = `stream-${runs++}`;
  const graph = streamOf({ messages, bytes, inFlight, handles });
  const begin = performance.now();
  const { values } = await pulse.run(graph, {}, { runId, version: "1", observers });
  const ms = performance.now() - begin;
  if (values.total !== messages) throw new Error(`${values.total} of ${messages} messages were read`);
  const record = await store.catalog.read(runId);
  await pulse.close();
  return { ms, saves, saved, record };
}

async function measure(medium, workload, seconds) {
  const [ratios, usAMessage, messagesASave, bytesAMessage] = [[], [], [], []];
  // Also tells how many bytes a save has.
  let last = await once(await medium.openStore(), workload);
  const until = performance.now() + seconds * 1000;
  while (ratios.length < roundsLeast || performance.now() < until) {
    const size = Math.round(last.saved / last.saves);
    const count = Math.min(1000, Math.max(50, last.saves));
    const before = await medium.rawMs(count, size);
    last = await once(await medium.openStore(), workload);
    const raw = (before + (await medium.rawMs(count, size))) / 2;
    ratios.push(last.ms / last.saves / raw);
    usAMessage.push((last.ms * 1000) / workload.messages);
    messagesASave.push(workload.messages / last.saves);
    bytesAMessage.push(last.saved / workload.messages);
  }
  const { name, messages, aim } = workload;
  return {
    name,
    messages,
    aim,
    ratio: spreadOf(ratios),
    usAMessage: spreadOf(usAMessage),
    messagesASave: spreadOf(messagesASave),
    bytesAMessage: spreadOf(bytesAMessage),
  };
}

async function sizeAfter(messages) {
  const inFlight = Math.min(sizeInFlight, messages);
  const { record } = await once(memoryStore(), { messages, inFlight, handles: true });
  let recordBytes = 0;
  for (const { key: name, entry } of entriesOf(record)) {
    const packed = packEntry(name, entry);
    recordBytes += name.length + packed.text.length + packed.bytes.reduce((sum, each) => sum + each.length, 0);
  }
  return { recordBytes, entries: entriesOf(record).length };
}

function markdown({ name, raw }, results) {
  const lines = [
    `\nDurable streams on ${name}: messages of ${bytes} bytes, one group; medians of rounds (10th-90th percentile)\n`,
    `| workload | messages | a save to ${raw} | µs a message | messages a save | bytes saved a message |`,
    "| --- | --- | --- | --- | --- | --- |",
  ];
  for (const { name: what, messages, ratio, usAMessage, messagesASave, bytesAMessage, aim } of results.workloads) {
    const share = `${shown(messagesASave, 1)}${aim === undefined ? "" : ` (aim: ${aim})`}`;
    lines.push(
      `| ${what} | ${messages} | ${shown(ratio)} | ${shown(usAMessage, 0)} | ${share} | ${shown(bytesAMessage, 0)} |`,
    );
  }
  const [{ recordBytes: least } = {}] = results.sizes;
  lines.push("", "| messages handled, all acknowledged | bytes of the record | to the first | entries |");
  lines.push("| --- | --- | --- | --- |");
  for (const { messages, recordBytes, entries } of results.sizes)
    lines.push(`| ${messages} | ${recordBytes} | ${(recordBytes / least).toFixed(3)} (aim: ${sizeAim}) | ${entries} |`);
  return lines.join("\n");
}
