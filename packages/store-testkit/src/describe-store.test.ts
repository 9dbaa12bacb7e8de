import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeStore } from "./describe-store.ts";
import type { DescribeOptions, TestRunner } from "./describe-store.ts";
import { requirements } from "./requirements.ts";
import type { StoreSubject } from "./subject.ts";
import { subject as memory } from "./testing/memory-subject.ts";
import { subject as wrong } from "./testing/wrong-subject.ts";

interface Registered {
  readonly groups: string[];
  readonly tests: { readonly title: string; readonly timeoutMs: number; body(): Promise<void> }[];
  readonly skipped: { readonly title: string; readonly reason: string }[];
}

/** What `describeStore` asks of a runner. */
function registered(subject: StoreSubject, options?: DescribeOptions): Registered {
  const found: Registered = { groups: [], tests: [], skipped: [] };
  const runner: TestRunner = {
    describe(title, body) {
      found.groups.push(title);
      body();
    },
    test: (title, timeoutMs, body) => void found.tests.push({ title, timeoutMs, body }),
    skip: (title, reason) => void found.skipped.push({ title, reason }),
  };
  describeStore(subject, runner, options);
  return found;
}

test("KIT-1 requirements are data: stable ids that begin with their rule, each once, each with a fact as its title", () => {
  const ids = requirements.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title } of requirements) {
    expect(id).toMatch(/^(?:STORE|KIT|REC)-\d+\.[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(title).toMatch(/^.{20,}[^.]$/);
  }
});

test("KIT-1 STORE-1 every STORE rule has a requirement", () => {
  const rules = new Set(requirements.map(({ rule }) => rule));
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) expect(rules).toContain(`STORE-${number}`);
});

test("KIT-1 each requirement is a test or left out with its reason, none is missing", () => {
  const { groups, tests, skipped } = registered(memory);
  expect(groups).toEqual(['the store "memory"']);
  expect(tests.length + skipped.length).toBe(requirements.length);
  expect(skipped.length).toBeGreaterThan(0);
  for (const { reason } of skipped) {
    expect(reason).toMatch(/^its runs are in the memory of one process|^the subject names no fault points$/);
  }
});

test("KIT-1 what needs the path of the module is left out without it, and the reason says so", () => {
  const { without: _without, ...subject } = memory;
  const left = registered(subject).skipped.filter(({ title }) => title.startsWith("KIT-2."));
  expect(left.length).toBeGreaterThan(0);
  for (const { reason } of left) expect(reason).toBe("the kit was not told the path of the store module");
  const module = new URL("./testing/memory-subject.ts", import.meta.url);
  expect(registered(subject, { module }).skipped.filter(({ title }) => title.startsWith("KIT-2."))).toEqual([]);
});

test("KIT-1 a name in `without` or `only` that the kit does not have, and a reason that says nothing, are refused", () => {
  expect(() => registered({ ...memory, without: { "STORE-99": "why not" } })).toThrow(
    '`without` of the store "memory" names "STORE-99", which is no requirement and no rule of the kit',
  );
  expect(() => registered({ ...memory, without: { "STORE-7": " " } })).toThrow('gives no reason for "STORE-7"');
  expect(() => registered(memory, { only: ["store-3"] })).toThrow('"store-3" is no requirement');
});

test("KIT-1 KIT-4 a test that fails tells what was seen, what was wanted and the seed", async () => {
  const { tests } = registered(wrong, { only: ["STORE-3.conflict"], seed: 77 });
  const [first] = tests;
  if (first === undefined) throw new Error("nothing was registered");
  await expect(first.body()).rejects.toThrow(
    /^STORE-3\.conflict: .*\n {2}seen: saving from revision 0 where 3 stands succeeded; wanted: PULSE_CONFLICT\n {2}repeat it with PULSE_SEED=77$/,
  );
});

test(
  "KIT-1 Node's own test runner runs the kit, and shows what is left out and why",
  { timeout: 120_000 },
  async () => {
    const { code, text } = await nodeTest("node-test-program");
    expect(code).toBe(1);
    expect(text).toMatch(/ok \d+ - STORE-3\.not-found a run that was never saved is not found/);
    expect(text).toMatch(/ok \d+ - KIT-2\.fault-points .* # SKIP left out: its runs are in the memory of one process/);
    expect(text).toMatch(/not ok \d+ - STORE-3\.conflict/);
    expect(text).toContain("wanted: PULSE_CONFLICT");
  },
);

async function nodeTest(name: string): Promise<{ readonly code: number; readonly text: string }> {
  const file = fileURLToPath(new URL(`testing/${name}.ts`, import.meta.url));
  const args = ["--conditions=@pulse-ts/source", "--import", "tsx", "--test", "--test-reporter=tap", file];
  // The test runner tells its children so that they are; this one is none of vitest's.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: stdout });
    });
  });
}
