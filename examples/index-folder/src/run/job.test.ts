import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskReader, PassingFailure } from "../scan/read-text.ts";
import { Problem } from "../problem.ts";
import { confirmedIn, redoneSince } from "../testing/confirmed-steps.ts";
import { runHere } from "../testing/job-in-process.ts";
import type { JobEnd, JobTrial } from "../testing/job-in-process.ts";
import { folderWith, sampleFiles } from "../testing/sample-folder.ts";
import { messageOf } from "./explain.ts";

/** A working folder with the sample as its `docs`. */
async function bench() {
  const workingFolder = await folderWith(
    Object.fromEntries(Object.entries(sampleFiles).map(([path, content]) => [`docs/${path}`, content])),
  );
  const run = (words = "", trial: Omit<JobTrial, "workingFolder"> = {}): Promise<JobEnd> =>
    runHere(["--run-id", "trial", ...words.split(" ").filter((word) => word !== "")], { workingFolder, ...trial });
  return { workingFolder, docs: join(workingFolder, "docs"), store: join(workingFolder, ".pulse", "runs"), run };
}

const reportsOf = async ({ result }: JobEnd): Promise<string[]> => {
  if (result === undefined) throw new Error("the job did not end with a result");
  return Promise.all([result.html, result.json].map((path) => readFile(path, "utf8")));
};

test("DUR-8 interrupted in the middle and started again, the job gives the report of an undisturbed run", async () => {
  const [undisturbed, { run, store }] = await Promise.all([bench(), bench()]);
  const reports = await reportsOf(await undisturbed.run());
  const interrupted = await run("", { interruptAt: /chunk-3\/read/u });
  expect(interrupted.error).toMatchObject({ code: "PULSE_INTERRUPTED" });
  const { steps, status } = await confirmedIn(store, "trial");
  expect(status).toBe("running");
  expect(interrupted.shown).toContain(`Interrupted: ${steps.size} of 29 steps are confirmed.`);
  const again = await run();
  expect(again.shown).toContain("It was interrupted; going on from what it has confirmed.");
  const [toldFirst, rest] = again.shown.split(`Not done again: ${steps.size} of 29 steps (scan`);
  expect(toldFirst).not.toMatch(/^\[/mu);
  expect(rest).toContain(`\nDone; ${steps.size} of 29 steps were not done again.\n`);
  expect(await reportsOf(again)).toEqual(reports);
});

test("DUR-8 interrupted after every single step, the job still ends, with the same report", async () => {
  const [undisturbed, { run }] = await Promise.all([bench(), bench()]);
  const reports = await reportsOf(await undisturbed.run("--chunks 2"));
  let end = await run("--chunks 2", { interruptAt: /^\[/u });
  let starts = 1;
  for (; end.result === undefined; starts += 1) {
    expect(end.error).toMatchObject({ code: "PULSE_INTERRUPTED" });
    end = await run("--chunks 2", { interruptAt: /^\[/u });
  }
  expect(await reportsOf(end)).toEqual(reports);
  expect(starts).toBeGreaterThan(3);
});

test("DUR-3 a complete run is not run again, and its reports come back if they were lost", async () => {
  const { run } = await bench();
  const first = await run();
  const reports = await reportsOf(first);
  await rm(first.result?.html ?? "");
  const again = await run("--search tide");
  expect(again.shown).toContain("This run was complete already: nothing was done again.");
  expect(again.shown).not.toMatch(/\[ ?\d+\/29\]/u);
  expect(await reportsOf(again)).toEqual(reports);
  expect(again.result?.hits).toEqual(["guide/tide.txt", "guide/pilot.md", "readme.md"]);
});

test("DUR-6 a folder that changed under an interrupted run is refused, and nothing of the run is lost", async () => {
  const { run, docs, store } = await bench();
  await run("", { interruptAt: /chunk-1\/count/u });
  const before = await confirmedIn(store, "trial");
  await writeFile(join(docs, "new.md"), "# New");
  const refused = await run();
  expect(refused.error).toMatchObject({ code: "PULSE_INCOMPATIBLE", details: { what: "inputs" } });
  expect(refused.shown).not.toContain("going on");
  expect(refused.explained).toMatch(/^The folder has changed since run trial was interrupted.*--fresh/su);
  expect(await confirmedIn(store, "trial")).toEqual(before);
  const fresh = await run("--fresh");
  expect(fresh.shown).not.toContain("Not done again");
  expect(fresh.result?.files).toBe(8);
});

test("a folder that changed after its run ended is indexed anew by the same command", async () => {
  const { run, docs } = await bench();
  await run();
  await utimes(join(docs, "readme.md"), 1_000, 1_000);
  await rm(join(docs, "guide/tide.txt"));
  const again = await run();
  expect(again.shown).toContain("The folder or the command has changed since that run ended: starting anew.");
  expect(again.shown).not.toContain("nothing was done again");
  expect(again.result?.files).toBe(6);
});

test("DUR-4 another number of chunks is another definition: refused while the run is unfinished", async () => {
  const { run } = await bench();
  await run("", { interruptAt: /scan/u });
  const refused = await run("--chunks 3");
  expect(refused.error).toMatchObject({ code: "PULSE_INCOMPATIBLE", details: { what: "definition" } });
  expect(refused.explained).toContain("Run trial was begun with another number of chunks");
  expect((await run()).result?.files).toBe(7);
});

test("CKPT-21 a run whose tries are used up stays failed until it is started afresh", async () => {
  const { run } = await bench();
  const failed = await run("--flaky 1");
  expect(failed.error).toMatchObject({ code: "PULSE_RUN_FAILED", cause: expect.any(PassingFailure) });
  expect(failed.shown).toMatch(/chunk-\d\/read: try 5 failed: a fault on purpose/u);
  expect(failed.explained).toMatch(
    /^Run trial has failed for good at chunk-\d\/read: a fault on purpose .*--fresh starts again\.$/su,
  );
  const again = await run();
  expect(again.explained).toMatch(
    /^Run trial has failed for good.*chunk-\d\/read.*: a fault on purpose .*--fresh starts again\.$/su,
  );
  expect(again.shown).not.toContain("try 1 failed");
  expect((await run("--fresh")).result?.files).toBe(7);
});

test("CORE-16 faults on purpose are tried again and leave no trace in the report", async () => {
  const [plain, flaky] = await Promise.all([bench(), bench()]);
  const reports = await reportsOf(await plain.run());
  const end = await flaky.run("--flaky 0.4 --seed 5");
  expect(end.shown).toMatch(/chunk-\d\/read: try 1 failed: a fault on purpose \(--flaky 0\.4 --seed 5\)/u);
  expect(await reportsOf(end)).toEqual(reports);
});

test("D2 a run that is being worked on is left alone", async () => {
  const { run } = await bench();
  let others: Promise<JobEnd[]> | undefined;
  const first = await run("--slow 20", {
    onShown: (text) => {
      // The first step is confirmed: the run is owned, and will be for a while.
      if (text.includes("scan")) others ??= Promise.all([run(), run("--fresh")]);
    },
  });
  expect(first.result?.files).toBe(7);
  const busy = { error: { code: "PULSE_BUSY" }, explained: expect.stringContaining("by another process") };
  expect(await others).toMatchObject([busy, busy]);
  for (const { shown } of (await others) ?? []) expect(shown).not.toContain("going on");
});

test("the journal shows bodies that run again, so that a test of the opposite can be believed", async () => {
  const { run, store, workingFolder } = await bench();
  const trace = join(workingFolder, "trace.jsonl");
  await run("--trace trace.jsonl");
  const confirmed = await confirmedIn(store, "trial");
  expect(await redoneSince(trace, 0, confirmed)).toHaveLength(29);
  await run("--trace trace.jsonl");
  expect(await redoneSince(trace, 29, confirmed)).toEqual([]);
  await run("--trace trace.jsonl --fresh");
  expect(await redoneSince(trace, 29, confirmed)).toHaveLength(29);
});

test("the job's own folders are not indexed, wherever they lie", async () => {
  const { run, docs } = await bench();
  const first = await run(`--store ${join(docs, "kept")} --out ${join(docs, "made")}`);
  await writeFile(join(docs, "made", "stray.md"), "# Stray");
  const again = await run(`--store ${join(docs, "kept")} --out ${join(docs, "made")}`);
  expect([first.result?.files, again.result?.files]).toEqual([7, 7]);
  expect(again.shown).toContain("nothing was done again");
});

const refusals: readonly (readonly [string, string, RegExp])[] = [
  [
    "a missing folder",
    "nowhere",
    /^there is no folder .*nowhere\. Without a folder the repository's own docs .* --help shows/u,
  ],
  ["a file instead of a folder", "docs/readme.md", /is a file; name the folder that it lies in\. .*--help/u],
  ["a folder without text", "pictures", /holds no text or Markdown file/u],
  [
    "a store that is a file",
    "--store docs/readme.md",
    /^the run's record cannot be kept in .*: there is a file of that name \(EEXIST\)$/u,
  ],
  [
    "reports below a file",
    "--out docs/readme.md/out",
    /^the report cannot be kept in .*: a part of that path is a file \(ENOTDIR\)$/u,
  ],
];

test.each(refusals)("%s is refused in words, before anything is done", async (_, words, message) => {
  const { run, workingFolder, store } = await bench();
  await mkdir(join(workingFolder, "pictures"));
  const end = await run(words);
  expect(end.error).toBeInstanceOf(Problem);
  expect(end.explained).toMatch(message);
  expect((await confirmedIn(store, "trial")).status).toBe("absent");
  expect((await readdir(workingFolder)).filter((name) => name !== "docs" && name !== "pictures")).toEqual([]);
});

test("two runs of one folder write two reports, each under its run's name", async () => {
  const { run, workingFolder } = await bench();
  const first = await run();
  const second = await runHere(["--run-id", "x2"], { workingFolder });
  expect([first.result?.html, second.result?.html]).toEqual(
    ["trial", "x2"].map((name) => join(workingFolder, ".pulse", "reports", name, "report.html")),
  );
});

test("FILE-1 runs of odd names are kept apart, and inside the store", async () => {
  const { workingFolder } = await bench();
  for (const runId of ["../../x", "CON", "a\0b", "trial", "Trial"]) {
    const first = await runHere(["--run-id", runId], { workingFolder });
    expect(first.shown).not.toContain("complete already");
    const again = await runHere(["--run-id", runId], { workingFolder });
    expect(again.shown).toContain("This run was complete already");
  }
  expect(await readdir(workingFolder)).toEqual([".pulse", "docs"]);
  expect((await readdir(join(workingFolder, ".pulse"))).toSorted()).toEqual(["reports", "runs"]);
});

test("a folder of which nothing can be read says why, file by file", async () => {
  const workingFolder = await folderWith({ "docs/a.txt": Uint8Array.of(0), "docs/b.md": Uint8Array.of(0xff) });
  const end = await runHere([], { workingFolder });
  expect(end.error).toBeInstanceOf(Problem);
  expect(end.explained).toMatch(
    /could be read:\n {2}a\.txt: binary data, no text\n {2}b\.md: not valid UTF-8\n.*--fresh/su,
  );
});

test("what cannot be read for want of permission is skipped and listed", async () => {
  const { workingFolder } = await bench();
  const denied = Object.assign(new Error("denied"), { code: "EACCES" });
  const end = await runHere(["--run-id", "trial"], {
    workingFolder,
    reader: {
      state: diskReader.state,
      // Root may read anything, so the refusal of the system is played where it is asked.
      read: (path) => (path.endsWith("readme.md") ? Promise.reject(denied) : diskReader.read(path)),
    },
  });
  expect([end.result?.files, end.result?.skipped]).toEqual([6, 3]);
  const report = JSON.parse((await reportsOf(end))[1] ?? "");
  expect(report.skipped).toContainEqual({ path: "readme.md", reason: "no permission to read it" });
});

test("an error's text names its causes once each, and any thrown thing has a text", () => {
  const root = new Error("the disk is full");
  expect(messageOf(new Error("saving: the disk is full", { cause: root }))).toBe("saving: the disk is full");
  expect(messageOf(new Error("saving", { cause: root }))).toBe("saving\n  because: the disk is full");
  expect([messageOf("text"), messageOf(undefined)]).toEqual(["text", "undefined"]);
});
