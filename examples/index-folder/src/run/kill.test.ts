import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { needsPostgres, sharedDatabase } from "@pulse-ts/test-postgres";
import { afterAll, expect, test } from "vitest";
import { bodyRuns, confirmedIn, redoneSince } from "../testing/confirmed-steps.ts";
import type { Confirmed } from "../testing/confirmed-steps.ts";
import { buildJob, startJob } from "../testing/job-child.ts";
import type { BodyRun } from "./body-journal.ts";
import { proseFiles, randomFrom } from "../testing/random.ts";
import { folderWith, temporaryFolder } from "../testing/sample-folder.ts";

/** How often the job is killed on each store. The full number is 50. */
const kills = Number(process.env["PULSE_KILLS"] ?? 6);
const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Which tries of reading fail: some do. Of other seeds a chunk uses up its tries, and then the job rightly fails. */
const faultsSeed = 1;

const program = await buildJob();
afterAll(program.remove);

type Trial = Awaited<ReturnType<typeof trial>>;

/** The kinds of store, and a new place of each, as `--store` takes it. */
const stores: Readonly<Record<string, (place: string) => string | Promise<string>>> = {
  files: (place) => join(place, "runs"),
  SQLite: (place) => `sqlite:${join(place, "runs.db")}`,
  PostgreSQL: () => sharedDatabase(),
};

/** A folder to index, and the words of a command with a record and reports of its own. */
async function trial(folder: string, kind = "files") {
  const place = await temporaryFolder();
  const at = { store: (await stores[kind]?.(place)) ?? "", out: join(place, "out"), trace: join(place, "trace.jsonl") };
  const words = [folder, "--store", at.store, "--out", at.out, "--trace", at.trace, "--run-id", "trial"];
  const reports = async (): Promise<string[]> =>
    Promise.all(["report.html", "report.json"].map((name) => readFile(join(at.out, name), "utf8")));
  return { ...at, words: [...words, "--flaky", "0.3", "--seed", String(faultsSeed), "--slow", "15"], reports };
}

test.for(Object.keys(stores))(
  `DUR-8 CKPT-19 killed at random moments and started again, the job on %s gives the same report, runs no confirmed body again and keeps its budgets (PULSE_KILLS=${kills} PULSE_SEED=${seed})`,
  { timeout: 60_000 + kills * 30_000 },
  async (kind, context) => {
    if (kind === "PostgreSQL") needsPostgres(context);
    const random = randomFrom(seed);
    const folder = await folderWith(proseFiles(seed, 24));
    const undisturbed = await trial(folder, kind);
    const first = startJob(program, undisturbed.words);
    await first.whenShown(/Indexing/u);
    const begun = performance.now();
    expect(await first.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("try 1 failed") });
    const workMs = performance.now() - begun;
    const reports = await undisturbed.reports();
    const { budgets, steps } = await confirmedIn(undisturbed.store, "trial");
    expect(new Set((await bodyRuns(undisturbed.trace)).map(({ path }) => path))).toEqual(steps);

    let left = kills;
    while (left > 0) {
      const job = await trial(folder, kind);
      const end = await killUntilDone(job, { most: left, momentMs: () => random() * workMs });
      left -= end.killed;
      for (const said of saysOf(end.confirmedBefore, steps.size)) {
        expect([end.code, end.stderr]).toEqual([0, expect.stringContaining(said)]);
      }
      expect(end.redone).toEqual([]);
      expect(await job.reports()).toEqual(reports);
      expect((await confirmedIn(job.store, "trial")).budgets).toEqual(budgets);
    }
    expect(left).toBe(0);
  },
);

interface Killing {
  /** No more kills than these. */
  readonly most: number;
  /** How long the next process lives after it has begun. */
  readonly momentMs: () => number;
}

/** Starts the job, kills it, and starts it again, until it is done. */
async function killUntilDone(job: Trial, { most, momentMs }: Killing) {
  const redone: BodyRun[] = [];
  for (let killed = 0; ; killed += 1) {
    const confirmedBefore = await confirmedIn(job.store, "trial");
    const bodiesBefore = (await bodyRuns(job.trace)).length;
    const child = startJob(program, job.words);
    await child.whenShown(/Indexing/u);
    if (killed < most) {
      const over = new AbortController();
      void child.ended.then(() => over.abort());
      await wait(momentMs(), undefined, { signal: over.signal }).catch(() => {});
      child.kill("SIGKILL");
    }
    const end = await child.ended;
    redone.push(...(await redoneSince(job.trace, bodiesBefore, confirmedBefore)));
    if (end.signal !== "SIGKILL") return { ...end, killed, confirmedBefore, redone };
  }
}

/** What a run that ends says of what it found confirmed. */
function saysOf({ status, steps }: Confirmed, total: number): string[] {
  if (status === "completed") return ["This run was complete already: nothing was done again."];
  if (steps.size === 0) return ["Indexing"];
  return [`Not done again: ${steps.size} of ${total} steps (`, `Done; ${steps.size} of ${total} steps were not`];
}

test(
  "DUR-8 CKPT-14 Ctrl-C ends the job with code 130 and says how to go on; it goes on",
  { timeout: 120_000 },
  async () => {
    const folder = await folderWith(proseFiles(3, 12));
    const undisturbed = await trial(folder);
    expect((await startJob(program, undisturbed.words).ended).code).toBe(0);
    const job = await trial(folder);
    const child = startJob(program, [...job.words, "--slow", "150"]);
    await child.whenShown(/\[ ?3\/29\]/u);
    child.kill("SIGINT");
    const interrupted = await child.ended;
    const confirmed = await confirmedIn(job.store, "trial");
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain(
      `Interrupted: ${confirmed.steps.size} of 29 steps are confirmed. The same command goes on from there.`,
    );
    expect(interrupted.stderr).not.toMatch(/^\s+at /mu);
    expect(confirmed.status).toBe("running");

    const bodiesBefore = (await bodyRuns(job.trace)).length;
    const again = await startJob(program, job.words).ended;
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining(`Not done again: ${confirmed.steps.size} of 29 steps (`),
    ]);
    expect(await redoneSince(job.trace, bodiesBefore, confirmed)).toEqual([]);
    expect(await job.reports()).toEqual(await undisturbed.reports());
  },
);

test("the program explains itself, and a wrong command ends with code 2 and no stack trace", async () => {
  const [help, wrong, unknown, missing] = await Promise.all(
    [["--help"], ["--chunks", "none"], ["--bogus"], [join(await temporaryFolder(), "nowhere")]].map(
      (words) => startJob(program, words).ended,
    ),
  );
  expect([help?.code, help?.stderr]).toEqual([0, ""]);
  expect(help?.stdout).toContain("--fresh");
  expect([wrong?.code, wrong?.stdout]).toEqual([2, ""]);
  expect(wrong?.stderr).toContain("--chunks takes a whole number");
  expect([unknown?.code, unknown?.stderr]).toEqual([
    2,
    "there is no option --bogus\n--help shows what can be given.\n",
  ]);
  expect(missing?.code).toBe(1);
  expect(missing?.stderr).toMatch(/^there is no folder \S+nowhere\. .*--help.*\n$/u);
});
