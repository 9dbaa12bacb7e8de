// One throughput workload in a process of its own, so that its peak memory is its own: node throughput-child.mjs NAME SECONDS
// The last line on stdout is the result.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durable, memoryStore } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import { chainOf, fanOf, kibibyte } from "./graphs.mjs";
import { bytesBelow, rawMs } from "./medium.mjs";
import { spreadOf } from "./spread.mjs";
import { throughput } from "./workloads.mjs";

/** Raw appends beside one round: enough to tell, few enough to leave the time to what is measured. */
const rawMax = 4000;
/** Rounds of each workload, unless they take longer than `longMs` beyond the time they were given. */
const roundsLeast = 5;
const longMs = 20_000;

const [, , name, seconds] = process.argv;
const workload = throughput.find((each) => each.name === name);
const { shape, size, runs = 1, inFlight = 1, bytes = kibibyte } = workload;
const nodes = (shape === "fan" ? size + 1 : size) * runs;
const build = () => (shape === "fan" ? fanOf(size, { bytes }) : chainOf(size, { bytes }));

const result = { name, ...(await onFiles()) };
// Peak memory is the file store's: what comes after may only raise it.
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ...result, maxRssMib: maxRSS / 1024, memoryUs: await inMemory() }));

async function onFiles() {
  const folder = await mkdtemp(join(tmpdir(), "pulse-bench-"));
  const ratios = [];
  const msANode = [];
  let saves = 0;
  let stored = 0;
  const until = performance.now() + Number(seconds) * 1000;
  const enough = () => performance.now() > (ratios.length < roundsLeast ? until + longMs : until);
  do {
    const root = join(folder, `round-${ratios.length}`);
    const store = fileStore({ folder: root });
    const before = stored === 0 ? undefined : await raw(saves, stored);
    const round = await measure(store);
    ({ saves } = round);
    stored = await bytesBelow(root);
    const after = await raw(saves, stored);
    // Before and after, because the disk may change while a long round goes on.
    ratios.push(round.ms / saves / (before === undefined ? after : (before + after) / 2));
    msANode.push(round.ms / nodes);
    await rm(root, { recursive: true });
  } while (!enough());
  await rm(folder, { recursive: true });
  return {
    nodes,
    saves,
    ratio: spreadOf(ratios),
    msANode: spreadOf(msANode),
    nodesASave: nodes / saves,
    bytesANode: stored / nodes,
  };

  function raw(count, whole) {
    return rawMs(folder, Math.max(50, Math.min(count, rawMax)), whole / count);
  }
}

async function inMemory() {
  const us = [];
  const until = performance.now() + Math.min(Number(seconds), 10) * 1000;
  do us.push(((await measure(memoryStore())).ms * 1000) / nodes);
  while (us.length < 3 || performance.now() < until);
  return spreadOf(us);
}

/** The graph is built before the clock starts; each round has a graph of its own, so that nothing of it is known yet. */
async function measure(store) {
  let saves = 0;
  const observers = [(event) => void (saves += event.kind === "run-saved" ? 1 : 0)];
  const built = build();
  const pulse = durable({ store });
  let next = 0;
  const worker = async () => {
    while (next < runs) await pulse.run(built, {}, { runId: `run-${next++}`, version: "1", observers });
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const ms = performance.now() - begin;
  await pulse.close();
  return { ms, saves };
}
