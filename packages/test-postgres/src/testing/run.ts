import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** The environment of a process that knows nothing of this test run. */
function environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULSE_PG_|VITEST|CI$|TEST$|NODE_ENV$)/.test(name),
  );
  return { ...Object.fromEntries(inherited), ...own };
}

/** A temp folder that is removed in the end, and into which other users may go. */
export async function ownTemp(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "pulse-own-"));
  await chmod(folder, 0o711);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts `testing/child-server.ts`. */
export function startChild(way: "ends" | "stays", env: NodeJS.ProcessEnv): ChildProcess {
  const file = fileURLToPath(new URL("child-server.ts", import.meta.url));
  return spawn(process.execPath, ["--conditions=@pulse-ts/source", "--import", "tsx", file, way], {
    cwd: dirname(file),
    env: environment(env),
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The first line that a child prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`the child ended after it had printed ${JSON.stringify(text)}`);
}

export interface VitestRun {
  readonly code: number | null;
  /** What it printed for people. */
  readonly errors: string;
  /** The state of each test, by its title. */
  readonly states: ReadonlyMap<string, string>;
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { fullName: string; status: string }[] }[];
}

/** Runs the tests of `file` of this package by a vitest of its own, as a person would. */
export async function runVitest(file: string, env: NodeJS.ProcessEnv): Promise<VitestRun> {
  const args = ["run", "--typecheck.enabled=false", "--project", "@pulse-ts/test-postgres", "--reporter=json", file];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, env: environment(env) });
  let [printed, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  const at = printed.indexOf("{");
  // What vitest's own reporter wrote; where it wrote none the tests below find no state.
  const report = at === -1 ? { testResults: [] } : (JSON.parse(printed.slice(at)) as Report);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { code, errors, states: new Map(tests.map(({ fullName, status }) => [fullName, status])) };
}
