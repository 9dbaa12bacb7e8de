import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { needsPostgres, sharedDatabase } from "@pulse-ts/test-postgres";
import { expect, test } from "vitest";
import { plainCount, sampleLines, temporaryFolder } from "../testing/sample-log.ts";

/** How often the program is killed on each store. */
const kills = Number(process.env["PULSE_KILLS"] ?? 4);
const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const lines = 240;
const child = resolve(import.meta.dirname, "..", "testing", "tail-child.ts");
const root = resolve(import.meta.dirname, "..", "..", "..", "..");

const stores: Readonly<Record<string, (folder: string) => string | Promise<string>>> = {
  files: (folder) => `file:${join(folder, "runs")}`,
  SQLite: (folder) => `sqlite:${join(folder, "runs.db")}`,
  PostgreSQL: () => sharedDatabase(),
};

/** Runs the program until it has told so many things, and kills it then; gives what it told. */
async function live(folder: string, store: string, killAfter: number): Promise<readonly string[]> {
  const words = ["--conditions=@pulse-ts/source", "--import", "tsx", child, folder, store];
  const started = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  started.stderr.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const told: string[] = [];
  const closed = once(started, "close");
  for await (const line of createInterface({ input: started.stdout })) {
    told.push(line);
    if (told.length === killAfter) started.kill("SIGKILL");
  }
  const [code, signal] = (await closed) as readonly unknown[];
  if (signal !== "SIGKILL") expect([code, said]).toEqual([0, ""]);
  return told;
}

test.for(Object.keys(stores))(
  `DUR-8 STR-21 STR-28 REC-14 killed at any moment and started again, the counting on %s neither loses nor doubles a line (PULSE_KILLS=${kills} PULSE_SEED=${seed})`,
  { timeout: 60_000 + kills * 20_000 },
  async (kind, context) => {
    if (kind === "PostgreSQL") needsPostgres(context);
    const folder = await temporaryFolder();
    const store = (await stores[kind]?.(folder)) ?? "";
    const text = sampleLines(lines).join("\n");
    await writeFile(join(folder, "access.log"), text);
    let random = seed;
    let ended: string | undefined;
    for (let killed = 0; ended === undefined; killed += 1) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      // Each process gets so far that all of them together are killed at moments all over the run.
      const told = await live(
        folder,
        store,
        killed < kills ? 1 + ((random >>> 8) % Math.ceil(lines / kills)) : Infinity,
      );
      const last = told.at(-1) ?? "";
      if (last.includes('"done"')) ended = last;
      expect(killed).toBeLessThanOrEqual(kills);
    }
    const wanted = plainCount(text);
    expect(JSON.parse(ended)).toEqual({ kind: "done", result: wanted });
    expect(JSON.parse(await readFile(join(folder, "out", "result.json"), "utf8"))).toEqual(wanted);
  },
);
