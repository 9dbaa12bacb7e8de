// What is run, and what it should reach. Ratios are to the raw medium of the same run.
import { mebibyte } from "./graphs.mjs";

/** Nodes after nodes, saves after saves. `aim`: at most that ratio to one raw append + fdatasync a save. */
const chains = [
  { name: "chain-10", shape: "chain", size: 10 },
  { name: "chain-100", shape: "chain", size: 100 },
  { name: "chain-1000", shape: "chain", size: 1000, aim: 1.5 },
  { name: "chain-10000", shape: "chain", size: 10_000, aim: 1.5 },
  { name: "chain-100000", shape: "chain", size: 100_000, aim: 1.5 },
];

/** `nodesAim`: at least so many nodes share one save, which is one fsync. */
const fans = [
  { name: "fan-100", shape: "fan", size: 100, nodesAim: 10 },
  { name: "fan-1000", shape: "fan", size: 1000, nodesAim: 10 },
];

const others = [
  { name: "many-200x10", shape: "chain", size: 10, runs: 200, inFlight: 16 },
  { name: "big-50x1MiB", shape: "chain", size: 50, bytes: mebibyte },
];

export const throughput = [...chains, ...fans, ...others];

/** A process is killed inside the body at `killAt`; another one resumes. `aimMs`: over the time to read the record once. */
export const resumes = [
  { name: "resume-1000", size: 1000, killAt: 900, aimMs: 250 },
  { name: "resume-100000", size: 100_000, killAt: 99_999, aimMs: 250 },
];

/** At most so many bytes are stored for each value of 1 KiB. */
export const bytesAim = 1536;
/** Time a node at 100,000 nodes, as a ratio to that at 1,000. */
export const growthAim = 1.1;
/** Microseconds a node in memory. */
export const memoryAim = 60;
