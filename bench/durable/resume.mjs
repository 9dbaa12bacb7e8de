// A process is killed with SIGKILL inside a body; fresh processes resume its run, in turn with ones that only read it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOnceMs } from "./medium.mjs";
import { runScript } from "./processes.mjs";
import { spreadOf } from "./spread.mjs";

const roundsLeast = 5;

/** The parts of the way from the start of a process to its first body, in the order they come. */
export const parts = ["imported", "built", "prepared", "loaded", "checked", "body"];

export async function measureResume({ name, size, killAt }, { seconds }) {
  const folder = await mkdtemp(join(tmpdir(), "pulse-bench-"));
  try {
    await runScript("resume-child.mjs", ["write", folder, size, killAt]);
    const rounds = [];
    const until = performance.now() + seconds * 1000;
    while (rounds.length < roundsLeast || performance.now() < until) rounds.push(await round(folder, size, killAt));
    return { name, ...summary(rounds) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Resuming changes nothing before the first body has ended, so every round resumes the very same record. */
async function round(folder, size, killAt) {
  const filesMs = await readOnceMs(folder);
  const { loadMs } = await runScript("resume-child.mjs", ["load", folder, size, killAt]);
  const { marks, origin, spawnedAt, maxRssMib } = await runScript("resume-child.mjs", ["resume", folder, size, killAt]);
  return { filesMs, loadMs, maxRssMib, marks, bodyMs: origin + marks.body - spawnedAt };
}

function summary(rounds) {
  const of = (pick) => spreadOf(rounds.map(pick));
  const split = parts.map((part, at) => [part, of(({ marks }) => marks[part] - (at === 0 ? 0 : marks[parts[at - 1]]))]);
  return {
    bodyMs: of(({ bodyMs }) => bodyMs),
    filesMs: of(({ filesMs }) => filesMs),
    loadMs: of(({ loadMs }) => loadMs),
    aboveLoadMs: of(({ bodyMs, loadMs }) => bodyMs - loadMs),
    maxRssMib: of(({ maxRssMib }) => maxRssMib),
    split: Object.fromEntries(split),
  };
}
