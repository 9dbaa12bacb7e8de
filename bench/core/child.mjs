// node --expose-gc child.mjs ENGINE WORKLOAD SECONDS: runs an engine and the hand-written code in turn, in one process,
// and prints one JSON line. CPU time of the process is used, for other work may share the machine.
import { engines } from "./engines.mjs";
import { workloads } from "./workloads.mjs";

const [engine, workloadName, seconds] = process.argv.slice(2);
const workload = workloads[workloadName]();
const median = (numbers) => numbers.toSorted((left, right) => left - right)[numbers.length >> 1];
const cpuMicroseconds = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

async function measure() {
  const begin = cpuMicroseconds();
  const runs = {
    own: await engines[engine](workload),
    hand: await engines["hand-written"](workload),
    same: await engines["hand-written, same bodies"](workload),
  };
  const buildUs = (cpuMicroseconds() - begin) / workload.size;
  const once = async (name) => {
    const value = await runs[name]();
    if (value !== workload.expected) throw new Error(`${name} gave ${value} instead of ${workload.expected}`);
  };
  if (workload.size > 50_000) {
    const before = cpuMicroseconds();
    await once("own");
    return { buildUs, us: (cpuMicroseconds() - before) / workload.size };
  }
  const names = engine.startsWith("pulse") ? ["hand", "same", "own"] : ["hand", "own"];
  for (const name of names) for (let turn = 0; turn < 100; turn++) await once(name);
  const samples = { own: [], hand: [], same: [] };
  const times = { own: 3, hand: 30, same: 5 };
  const until = performance.now() + Number(seconds) * 1000;
  while (performance.now() < until || samples.own.length < 5)
    for (const name of names) {
      const before = cpuMicroseconds();
      for (let turn = 0; turn < times[name]; turn++) await once(name);
      samples[name].push((cpuMicroseconds() - before) / times[name] / workload.size);
    }
  const us = median(samples.own);
  const same =
    samples.same.length === 0 ? {} : { sameRatio: us / median(samples.same), sameBytes: await allocated(runs.same) };
  return {
    buildUs,
    us,
    handUs: median(samples.hand),
    ratio: us / median(samples.hand),
    bytes: await allocated(runs.own),
    ...same,
  };
}

/** Bytes that one run allocates, a node; the young generation must be larger than all of it. */
async function allocated(run) {
  const found = [];
  for (let turn = 0; turn < 7; turn++) {
    globalThis.gc();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    await run();
    found.push((process.memoryUsage().heapUsed - before) / workload.size);
  }
  return median(found);
}

measure().then(
  (result) => console.log(JSON.stringify(result)),
  (error) => console.log(JSON.stringify({ error: String(error?.message ?? error).slice(0, 100) })),
);
