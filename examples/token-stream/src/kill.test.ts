import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { needsPostgres, sharedDatabase } from "@pulse-ts/test-postgres";
import { expect, onTestFinished, test } from "vitest";
import { tokensFrom } from "./tokens.ts";

const kills = Number(process.env["PULSE_KILLS"] ?? 4);
const stopAfter = 40;
const child = resolve(import.meta.dirname, "testing", "token-child.ts");
const root = resolve(import.meta.dirname, "..", "..", "..");

const stores: Readonly<Record<string, (folder: string) => string | Promise<string>>> = {
  files: (folder) => `file:${join(folder, "runs")}`,
  SQLite: (folder) => `sqlite:${join(folder, "runs.db")}`,
  PostgreSQL: () => sharedDatabase(),
};

type Told =
  | { readonly kind: "token"; readonly token: string; readonly sequence: number }
  | { readonly kind: "done"; readonly text: string };

/** Runs the program until it has shown so many tokens, and kills it then; gives what it told. */
async function live(store: string, killAfter: number): Promise<readonly Told[]> {
  const words = ["--conditions=@pulse-ts/source", "--import", "tsx", child, store, String(stopAfter)];
  const started = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const told: Told[] = [];
  const closed = once(started, "close");
  for await (const line of createInterface({ input: started.stdout })) {
    // Written by the child of this test.
    told.push(JSON.parse(line) as Told);
    if (told.length === killAfter) started.kill("SIGKILL");
  }
  const [code, signal] = (await closed) as readonly unknown[];
  if (signal !== "SIGKILL") expect(code).toBe(0);
  return told;
}

test.for(Object.keys(stores))(
  `STR-37 STR-9 STR-21 DUR-8 killed at any token and started again on %s, the host sees them in order up to its stop, none missing, and all are kept (PULSE_KILLS=${kills})`,
  { timeout: 60_000 + kills * 20_000 },
  async (kind, context) => {
    if (kind === "PostgreSQL") needsPostgres(context);
    const folder = await mkdtemp(join(tmpdir(), "pulse-tokens-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = (await stores[kind]?.(folder)) ?? "";
    const whole: string[] = [];
    for await (const token of tokensFrom("what must not be lost", 0, new AbortController().signal)) whole.push(token);
    const told: Told[] = [];
    for (let killed = 0; told.at(-1)?.kind !== "done"; killed += 1) {
      told.push(...(await live(store, killed < kills ? 3 + killed * 2 : Infinity)));
      expect(killed).toBeLessThanOrEqual(kills);
    }
    expect(told.at(-1)).toEqual({ kind: "done", text: whole.join("") });
    // What was shown and not acknowledged before a kill is shown again: at most one step back.
    let next = 1;
    for (const event of told) {
      if (event.kind !== "token") continue;
      expect([next, next - 1]).toContain(event.sequence);
      expect(event.token).toBe(whole[event.sequence - 1]);
      next = event.sequence + 1;
    }
    expect(next).toBe(stopAfter + 1);
  },
);
