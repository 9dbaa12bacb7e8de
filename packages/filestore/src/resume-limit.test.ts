import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { openPlace } from "./testing/place.ts";
import { childArguments } from "./testing/spawn.ts";

const program = fileURLToPath(new URL("testing/child-in-body.ts", import.meta.url));

interface End {
  readonly signal: NodeJS.Signals | undefined;
  /** What the process printed. */
  readonly said: unknown;
}

/** Runs a process to its end. */
function live(...given: readonly string[]): Promise<End> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...childArguments, program, ...given], (error, stdout) => {
      resolve({ signal: error?.signal ?? undefined, said: stdout === "" ? undefined : JSON.parse(stdout) });
    });
  });
}

test(
  "DUR-11 DUR-28 a run that kills its process in a body each time is stopped after maxResumes, and completed when it is raised",
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace();
    const notes = join(place.folder, "notes.txt");
    const bodies = async (): Promise<readonly string[]> => (await readFile(notes, "utf8")).trim().split("\n");
    const { catalog } = fileStore(place);

    const killed = { signal: "SIGKILL", said: undefined };
    expect(await live(place.folder, notes, "run", "2")).toEqual(killed);
    for (const resumes of [1, 2]) {
      expect(await live(place.folder, notes, "resume", "2")).toEqual(killed);
      expect((await catalog.read("run")).header).toMatchObject({ resumes, status: "running" });
    }
    const kept = await catalog.read("run");
    expect(await live(place.folder, notes, "resume", "2")).toEqual({
      signal: undefined,
      said: {
        code: "PULSE_RESUME_LIMIT",
        details: { runId: "run", next: "raise-max-resumes", resumes: 2, maxResumes: 2 },
      },
    });
    expect(await catalog.read("run")).toEqual(kept);
    expect(await bodies()).toEqual(["first", "second", "second", "second"]);

    expect(await live(place.folder, notes, "resume", "3", "lives")).toEqual({
      signal: undefined,
      said: { values: { second: 2 } },
    });
    expect((await catalog.read("run")).header).toMatchObject({ resumes: 3, status: "completed" });
    expect(await bodies()).toHaveLength(5);
  },
);
