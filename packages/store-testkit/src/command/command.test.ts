import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { requirements } from "../requirements.ts";
import type { Report } from "./report.ts";
import { runCommand } from "./run.ts";

interface Ended {
  readonly code: number;
  readonly report: string;
  readonly messages: string;
}

/** The command as it is called, without a process of its own. */
async function command(...args: readonly string[]): Promise<Ended> {
  let report = "";
  let messages = "";
  const code = await runCommand(args, {
    report: { write: (text) => void (report += text) },
    messages: { write: (text) => void (messages += text) },
  });
  return { code, report, messages };
}

const moduleIn = (name: string): string => fileURLToPath(new URL(`../testing/${name}.ts`, import.meta.url));
const memory = moduleIn("memory-subject");
const wrong = moduleIn("wrong-subject");

/** A store module of this text, in a folder of its own. */
async function withModule<Result>(text: string, act: (path: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-store-check-"));
  try {
    const path = join(folder, "store.mjs");
    await writeFile(path, text);
    return await act(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("KIT-1 a report tells what passed, what was left out and why, and the seed", async () => {
  const { code, report, messages } = await command(memory, "--only", "STORE-1.busy,KIT-2", "--seed", "7");
  expect({ code, messages }).toEqual({ code: 0, messages: "" });
  expect(report).toContain(`the store "memory" of ${memory}, seed 7`);
  expect(report).toMatch(/^passed {4}STORE-1\.busy: a run that is owned is busy.* \(\d+ ms\)$/m);
  expect(report).toMatch(
    /^left out {2}KIT-2\.fault-points: .*\n {10}because: its runs are in the memory of one process/m,
  );
  expect(report).toMatch(
    /\n {2}left out: KIT-2\.fault-points, because its runs .*\n[^]*1 passed, 0 failed, \d left out; seed 7\n$/,
  );
});

test("KIT-1 what failed is told with its rule, what was seen, what was wanted and how to repeat it", async () => {
  const { code, report } = await command(wrong, "--only", "STORE-3.conflict", "--seed", "7", "--kills", "3");
  expect(code).toBe(1);
  expect(report).toMatch(/^FAILED {4}STORE-3\.conflict: a save from another revision .* \(\d+ ms\)$/m);
  expect(report).toMatch(/^ {10}seen: saving from revision 0 where 3 stands succeeded; wanted: PULSE_CONFLICT$/m);
  expect(report).toContain(`repeat: pulse-store-check ${wrong} --only STORE-3.conflict --seed 7 --kills 3\n`);
  expect(report).toContain("\n  failed: STORE-3.conflict\n0 passed, 1 failed, 0 left out; seed 7\n");
});

test("KIT-1 --json gives the same as one document, and nothing else", async () => {
  const args = ["--only", "STORE-3.conflict,STORE-1.busy", "--only", "STORE-5", "--seed", "7", "--json"];
  const { code, report, messages } = await command(wrong, ...args);
  expect({ code, messages }).toEqual({ code: 1, messages: "" });
  const found = JSON.parse(report) as Report;
  expect(found).toMatchObject({ store: "wrong", module: wrong, seed: 7, passed: 1, failed: 1, leftOut: 1 });
  expect(found.checks.map(({ id, state }) => [id, state])).toEqual([
    ["STORE-1.busy", "passed"],
    ["STORE-3.conflict", "failed"],
    ["STORE-5.takeover", "left out"],
  ]);
  expect(found.checks[1]?.repeat).toContain("--only STORE-3.conflict --seed 7");
  expect(found.checks[2]?.told).toBe("it has no processes");
});

test("KIT-1 without --only everything that the kit requires is in the report", async () => {
  const { report } = await command(moduleIn("declining-subject"), "--json");
  const found = JSON.parse(report) as Report;
  expect(found.checks.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id));
  expect(found).toMatchObject({ passed: 0, failed: 0, leftOut: requirements.length });
});

test("KIT-4 the seed of the environment is taken, and one that is no number is refused", async () => {
  const { report } = await command(memory, "--only", "STORE-1.busy", "--seed", "123");
  expect(report).toContain("seed 123");
  const { code, messages } = await command(memory, "--seed", "many");
  expect(code).toBe(2);
  expect(messages).toContain('PULSE_SEED is "many"; give a whole number from 0');
});

describe("KIT-1 with code 2 and a message that says what to do is refused", () => {
  test.each([
    ["no store module", [], "give the path of a store module"],
    ["two store modules", ["a.mjs", "b.mjs"], 'one store module at a time: what is "b.mjs"?'],
    ["an option that nobody knows", ["a.mjs", "--fast"], "Unknown option '--fast'"],
    ["a file that is not there", ["/nowhere/store.mjs"], "there is no file /nowhere/store.mjs"],
    ["a folder", [tmpdir()], "is no file; give the path of a store module"],
    [
      "a requirement that nobody knows",
      [memory, "--only", "STORE-99"],
      '"STORE-99" is no requirement and no rule of the kit',
    ],
  ])("%s", async (_what, args, told) => {
    const { code, report, messages } = await command(...args);
    expect({ code, report: report.includes("passed") }).toEqual({ code: 2, report: false });
    expect(messages).toContain(told);
    expect(messages).toMatch(/^pulse-store-check: /);
  });

  const subject = (fields: string): string => `export const subject = { name: "mine", ${fields} };`;
  const place = `newPlace: async () => "place"`;
  test.each([
    ["a module that throws", `throw new Error("no such database");`, "no such database"],
    ["a module that is none", `export const = 7;`, "loading "],
    ["a module without a subject", `export const store = {};`, "exports neither `subject` nor a default"],
    ["a subject without open", subject(place), "`subject`"],
    [
      "a place that fails",
      subject(`newPlace() { throw new Error("disk full"); }, open() {}`),
      'newPlace of the store "mine" failed: Error (disk full)',
    ],
    ["a place that is no text", subject(`newPlace: async () => 7, open() {}`), 'newPlace of the store "mine" gave 7'],
    [
      "an open that fails",
      subject(`${place}, open() { throw new Error("refused"); }`),
      'open of the store "mine" failed: Error (refused)',
    ],
    [
      "an open that gives nothing",
      subject(`${place}, open() {}`),
      '`open` of "mine" gave undefined; wanted: an object',
    ],
    [
      "an open that gives something else",
      subject(`${place}, open: () => ({ get() {} })`),
      "an object without the method acquire",
    ],
    [
      "a catalogue that is none",
      subject(`${place}, open: () => ({ acquire() {}, catalog: [] })`),
      "a store whose catalog is an object without the method list, read, delete, count",
    ],
    [
      "an acquire that fails",
      subject(`${place}, open: () => ({ acquire() { throw new Error("no"); } })`),
      'acquire of the store "mine" failed: Error (no)',
    ],
    [
      "a session that is none",
      subject(`${place}, open: () => ({ acquire: async () => "session" })`),
      'acquire gave "session"; wanted: an object',
    ],
    [
      "a reason that is missing",
      subject(
        `${place}, open: () => ({ acquire: async () => ({ load() {}, save() {}, close() {} }) }), without: { "STORE-7": "" }`,
      ),
      'gives no reason for "STORE-7"',
    ],
  ])("%s", async (_what, text, told) => {
    const { code, messages } = await withModule(text, (path) => command(path));
    expect(code).toBe(2);
    expect(messages).toContain(told);
    expect(messages).toContain("Nothing was checked.");
  });
});

test(
  "KIT-1 the command ends although a store leaves something open, and its help says how it is used",
  { timeout: 120_000 },
  async () => {
    const left = `
    setInterval(() => {}, 1000);
    const session = { load: async () => {}, save: async () => {}, close: async () => {} };
    export default { name: "left open", newPlace: async () => "place", open: () => ({ acquire: async () => session }) };
  `;
    const ended = await withModule(left, (path) => started(path, "--only", "STORE-3.not-found"));
    expect(ended.messages).toBe("");
    expect(ended.report).toContain("0 passed, 1 failed, 0 left out");
    expect(ended.code).toBe(1);
    const help = await started("--help");
    expect(help).toMatchObject({ code: 0, messages: "" });
    for (const option of ["--only", "--seed", "--kills", "--json"]) expect(help.report).toContain(option);
  },
);

/** The command in a process of its own, as a shell starts it. */
async function started(...args: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(new URL("../pulse-store-check.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@pulse-ts/source", "--import", "tsx", file, ...args]);
  let report = "";
  let messages = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (report += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (messages += text));
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (end) => resolve(end ?? -1));
  });
  return { code, report, messages };
}
