import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { programsVariable } from "./binaries.ts";
import { needsPostgres, startPostgres } from "./index.ts";
import { firstLine, ownTemp, startChild } from "./testing/run.ts";

beforeEach(needsPostgres);

const patience = { timeout: 20_000, interval: 20 };

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.each(["stays", "ends"] as const)("servers go with the process that started them: it %s", async (way) => {
  await using temp = await ownTemp();
  const child = startChild(way, { TMPDIR: temp.folder, TSX_DISABLE_CACHE: "1" });
  const ended = once(child, "exit");
  const { pid, url, inherited } = JSON.parse(await firstLine(child)) as { pid: number; url: string; inherited: string };
  // A process of the child's own would use the same server.
  expect(new URL(url).host).toBe(new URL(inherited).host);
  if (way === "stays") child.kill("SIGKILL");
  expect((await ended)[way === "stays" ? 1 : 0]).toBe(way === "stays" ? "SIGKILL" : 0);
  await vi.waitFor(async () => expect(await readdir(temp.folder)).toEqual([]), patience);
  expect(runs(pid)).toBe(false);
});

test("a process that is killed while it makes the data of a server leaves nothing", async () => {
  await using temp = await ownTemp();
  const child = startChild("stays", { TMPDIR: temp.folder, TSX_DISABLE_CACHE: "1" });
  await vi.waitFor(async () => {
    const [folder = ""] = await readdir(temp.folder);
    expect(await readdir(join(temp.folder, folder, "data"))).toContain("base");
  }, patience);
  child.kill("SIGKILL");
  await vi.waitFor(async () => expect(await readdir(temp.folder)).toEqual([]), patience);
});

test("a server that cannot be started leaves nothing", async () => {
  await using temp = await ownTemp();
  vi.stubEnv("TMPDIR", temp.folder);
  vi.stubEnv(programsVariable, "/nowhere");
  await expect(startPostgres()).rejects.toThrow("there is no PostgreSQL in /nowhere");
  vi.stubEnv(programsVariable, "");
  await expect(startPostgres({ settings: { shared_buffers: "no size" } })).rejects.toThrow("shared_buffers");
  vi.unstubAllEnvs();
  expect(await readdir(temp.folder)).toEqual([]);
});
