// Durable chains on local files beside the raw append + fsync of the same bytes, measured in turn in the same process.
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graph, key, node, type } from "@pulse-ts/core";
import { durable, memoryStore } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";

const text = type("text");
const kibibyte = "x".repeat(1024);
const median = (numbers) => numbers.toSorted((left, right) => left - right)[numbers.length >> 1];

function chainOf(length) {
  const keys = Array.from({ length }, (_, at) => key(`k${at}`, text));
  const nodes = keys.map((own, at) =>
    node(`n${at}`, { requires: at === 0 ? [] : [keys[at - 1]], provides: [own] }, () => ({ [own.name]: kibibyte })),
  );
  return graph(`chain-${length}`, { inputs: [], outputs: [keys.at(-1)], nodes });
}

function fanOf(width) {
  const keys = Array.from({ length: width }, (_, at) => key(`k${at}`, text));
  const nodes = keys.map((own, at) => node(`n${at}`, { provides: [own] }, () => ({ [own.name]: kibibyte })));
  return graph(`fan-${width}`, { inputs: [], outputs: [keys[0]], nodes });
}

/** Seconds that `count` appends of `bytes` bytes take, each with its fdatasync. */
async function rawSeconds(folder, count, bytes) {
  const file = await open(join(folder, "raw"), "a");
  const line = Buffer.alloc(bytes, "x");
  const begin = performance.now();
  for (let at = 0; at < count; at++) {
    await file.write(line);
    await file.datasync();
  }
  const seconds = (performance.now() - begin) / 1000;
  await file.close();
  await rm(join(folder, "raw"));
  return seconds;
}

async function bytesBelow(folder) {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath ?? entry.path, entry.name))).size;
  return bytes;
}

async function measure(folder, built, store, runId) {
  let saves = 0;
  const pulse = durable({ store });
  const begin = performance.now();
  await pulse.run(
    built,
    {},
    { runId, version: "1", observers: [(event) => void (saves += event.kind === "run-saved" ? 1 : 0)] },
  );
  return { seconds: (performance.now() - begin) / 1000, saves };
}

export async function durableTable() {
  console.log(
    "\nDurable: values of 1 KiB on local files, beside raw appends with fdatasync of the same bytes in the same run\n",
  );
  console.log(
    "| workload | nodes | saves | ms a node | ratio to raw append + fdatasync a save | bytes a node | in memory: µs a node |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const { name, make, size } of [
    { name: "chain", make: chainOf, size: 10 },
    { name: "chain", make: chainOf, size: 100 },
    { name: "chain", make: chainOf, size: 1000 },
    { name: "chain", make: chainOf, size: 10_000 },
    { name: "fan", make: fanOf, size: 100 },
    { name: "fan", make: fanOf, size: 1000 },
  ]) {
    const folder = await mkdtemp(join(tmpdir(), "pulse-bench-"));
    const built = make(size);
    const turns = size <= 1000 ? 3 : 1;
    const ratios = [];
    let last;
    let bytes = 0;
    for (let turn = 0; turn < turns; turn++) {
      const runs = join(folder, `runs-${turn}`);
      last = await measure(folder, built, fileStore({ folder: runs }), "bench");
      bytes = (await bytesBelow(runs)) / size;
      const raw = await rawSeconds(folder, last.saves, Math.round((bytes * size) / last.saves));
      ratios.push(last.seconds / raw);
    }
    const inMemory = await measure(folder, built, memoryStore(), "bench");
    console.log(
      `| ${name} | ${size} | ${last.saves} | ${((last.seconds * 1000) / size).toFixed(3)} | ${median(ratios).toFixed(2)} | ${bytes.toFixed(0)} | ${((inMemory.seconds * 1e6) / size).toFixed(1)} |`,
    );
    await rm(folder, { recursive: true });
  }
}
