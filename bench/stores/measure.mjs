// What is measured of a store on a database. Ratios are to the raw medium of the same round.
import { durable, entriesOf, packEntry } from "@pulse-ts/durable";
import { graph, key, node, type } from "@pulse-ts/core";
import { chainOf, kibibyte } from "../durable/graphs.mjs";
import { spreadOf } from "../durable/spread.mjs";

/** What is measured; `quick` only shows that it can be. */
const full = { rounds: 5, chain: 1000, runs: 100, short: 50, logs: [100, 1000, 10_000], listed: 100_000 };
const quick = { rounds: 1, chain: 50, runs: 20, short: 5, logs: [10, 100], listed: 500 };
export const sizesFor = (isQuick) => (isQuick ? quick : full);

let runs = 0;
const nextRun = () => `bench-${String(runs++).padStart(6, "0")}`;

/** Runs chains, so many at a time; gives what it took and what was saved. */
async function chains(store, { length, count = 1 }) {
  let saves = 0;
  let bytes = 0;
  const counted = {
    ...store,
    async acquire(...words) {
      const session = await store.acquire(...words);
      return {
        ...session,
        save(next, expected, changes, call) {
          saves += 1;
          for (const change of changes) if (change.kind === "put") bytes += sizeOf(change);
          return session.save(next, expected, changes, call);
        },
      };
    },
  };
  const built = chainOf(length, { bytes: kibibyte });
  const pulse = durable({ store: counted });
  const begin = performance.now();
  await Promise.all(Array.from({ length: count }, () => pulse.run(built, {}, { runId: nextRun(), version: "1" })));
  const ms = performance.now() - begin;
  return { ms, saves, bytes, nodes: length * count };
}

function sizeOf({ key: name, entry }) {
  const { text, bytes } = packEntry(name, entry);
  return name.length + text.length + bytes.reduce((sum, each) => sum + each.length, 0);
}

/** One sequential run beside the raw medium, in turn, with as many bytes a commit as the run has a save. */
export async function chainRatio(medium, { seconds, sizes }) {
  const store = await medium.openStore();
  const ratios = [];
  const [msANode, rawMs, bytesASave] = [[], [], []];
  // Also tells how many bytes a save has.
  let last = await chains(store, { length: sizes.chain });
  const until = performance.now() + seconds * 1000;
  while (ratios.length < sizes.rounds || performance.now() < until) {
    const bytes = Math.round(last.bytes / last.saves);
    const before = await medium.rawMs(sizes.chain / 2, bytes);
    last = await chains(store, { length: sizes.chain });
    const raw = (before + (await medium.rawMs(sizes.chain / 2, bytes))) / 2;
    ratios.push(last.ms / last.nodes / raw);
    msANode.push(last.ms / last.nodes);
    rawMs.push(raw);
    bytesASave.push(bytes);
  }
  await store.close();
  return {
    nodes: sizes.chain,
    ratio: spreadOf(ratios),
    msANode: spreadOf(msANode),
    rawMs: spreadOf(rawMs),
    bytesASave: bytesASave.at(-1),
  };
}

/** Many runs at once beside one alone, in turn. */
export async function inFlight(medium, { seconds, sizes }) {
  const store = await medium.openStore();
  const [alone, together, ratios] = [[], [], []];
  await chains(store, { length: sizes.short, count: sizes.runs });
  const until = performance.now() + seconds * 1000;
  while (ratios.length < sizes.rounds || performance.now() < until) {
    const one = await chains(store, { length: sizes.chain });
    const many = await chains(store, { length: sizes.short, count: sizes.runs });
    const [slow, quick] = [one, many].map(({ nodes, ms }) => (nodes / ms) * 1000);
    alone.push(slow);
    together.push(quick);
    ratios.push(quick / slow);
  }
  await store.close();
  return { runs: sizes.runs, alone: spreadOf(alone), together: spreadOf(together), ratio: spreadOf(ratios) };
}

/** Bytes in the log for each node of runs of several lengths. */
export async function logGrowth(medium, { sizes }) {
  const store = await medium.openStore();
  await chains(store, { length: sizes.chain });
  const rows = [];
  for (const length of sizes.logs) {
    let values = 0;
    const bytes = await medium.logBytes(async () => void ({ bytes: values } = await chains(store, { length })));
    rows.push({ length, logANode: bytes / length, valuesANode: values / length });
  }
  await store.close();
  return rows;
}

/** Transactions and statements for each node; the holder connection, its renewals, acquire and close are in it. */
export async function statementCounts(medium, { sizes }) {
  if (medium.counts === undefined) return undefined;
  let nodes = 0;
  const { transactions, statements } = await medium.counts(async () => {
    const store = await medium.openStore();
    ({ nodes } = await chains(store, { length: sizes.chain }));
    await store.close();
  });
  return { transactions: transactions / nodes, statements: statements / nodes };
}

/** Listing by status among very many runs, one in ten of them of that status. */
export async function listing(medium, { sizes, say }) {
  const count = sizes.listed;
  await fill(medium, { count, say });
  const store = await medium.openStore();
  const { catalog } = store;
  const after = `listed-${String(count / 2).padStart(8, "0")}`;
  const looks = {
    "the first page of 100": () => catalog.list({ status: "failed" }),
    "a page from the middle": () => catalog.list({ status: "failed", after }),
    "a page by prefix and status": () => catalog.list({ status: "failed", prefix: "listed-0004" }),
    "counting by status": () => catalog.count({ status: "failed" }),
  };
  const rows = [];
  for (const [what, look] of Object.entries(looks)) {
    await look();
    const ms = [];
    for (let at = 0; at < 51; at++) {
      const begin = performance.now();
      await look();
      ms.push(performance.now() - begin);
    }
    rows.push({ what, ms: spreadOf(ms) });
  }
  await store.close();
  return { count, rows };
}

async function fill(medium, { count, say }) {
  const store = await medium.openFiller();
  const value = key("value", type("number"));
  const one = graph("one", { outputs: [value], nodes: [node("one", { provides: [value] }, () => ({ value: 1 }))] });
  const pattern = nextRun();
  await durable({ store: { ...store, close: async () => {} } }).run(one, {}, { runId: pattern, version: "1" });
  const record = await store.catalog.read(pattern);
  let next = 0;
  const filler = async () => {
    while (next < count) {
      const at = next++;
      if (at % 20_000 === 0) say(`${at} of ${count} runs are there`);
      const runId = `listed-${String(at).padStart(8, "0")}`;
      const header = { ...record.header, runId, revision: 1, status: at % 10 === 0 ? "failed" : "completed" };
      const session = await store.acquire(runId);
      const own = { ...record, header };
      await session.save(own, 0, entriesOf(own));
      await session.close();
    }
  };
  await Promise.all(Array.from({ length: 64 }, filler));
  await store.close();
}
