// node --expose-gc streams-child.mjs ENGINE GROUPS MESSAGES: sends so many messages to so many groups, each of which receives
// and acknowledges all, in turn with the hand-written channel in one process; prints one JSON line. CPU time is used.
import { streamEngines } from "./streams-engines.mjs";

const [engine, groupsText, messagesText] = process.argv.slice(2);
const groups = Number(groupsText);
const messages = Number(messagesText);
const median = (numbers) => numbers.toSorted((left, right) => left - right)[numbers.length >> 1];
const cpuMicroseconds = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** CPU microseconds a message. */
async function once(name, count) {
  let sum = 0;
  const run = await streamEngines[name](groups, count, (value) => void (sum += value));
  const before = cpuMicroseconds();
  await run();
  const us = (cpuMicroseconds() - before) / count;
  const expected = (groups * count * (count - 1)) / 2;
  if (sum !== expected) throw new Error(`${name} gave ${sum} instead of ${expected}`);
  return us;
}

async function measure() {
  const names = ["hand-written channel", engine];
  for (const name of names) await once(name, messages / 10);
  const samples = { hand: [], own: [] };
  for (let turn = 0; turn < 5; turn++) {
    samples.hand.push(await once(names[0], messages));
    samples.own.push(await once(names[1], messages));
  }
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  await once(engine, 1_000_000);
  globalThis.gc();
  const grown = process.memoryUsage().heapUsed - before;
  return { us: median(samples.own), handUs: median(samples.hand), grown };
}

measure().then(
  (result) => console.log(JSON.stringify(result)),
  (error) => console.log(JSON.stringify({ error: String(error?.message ?? error).slice(0, 100) })),
);
