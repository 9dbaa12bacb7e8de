import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { judge, ownHolder, readHolder, systemProbe } from "./holder.ts";
import type { Holder, ProcessProbe, Started } from "./holder.ts";

const self: Holder = { host: "a", boot: "b1", namespace: "n1", pid: 1, started: "10", instance: "i1" };
const other: Holder = { ...self, pid: 2, started: "20", instance: "i2" };
const probing = (started: Started): ProcessProbe => ({ started: async () => started });

test("FILE-5 only what is certain is dead or alive", async () => {
  expect(await judge(other, self, probing({ at: "20" }))).toBe("alive");
  expect(await judge(other, self, probing("gone"))).toBe("dead");
  // The id was given to a later process.
  expect(await judge(other, self, probing({ at: "21" }))).toBe("dead");
  // The system was started anew since.
  expect(await judge({ ...other, boot: "b0" }, self, probing({ at: "20" }))).toBe("dead");
  expect(await judge({ ...other, boot: "b0", host: "z" }, self, probing("gone"))).toBe("unknown");
  expect(await judge({ ...other, namespace: "n2" }, self, probing("gone"))).toBe("unknown");
  // Another host name on the same kernel: a container that shares the namespace.
  expect(await judge({ ...other, host: "z" }, self, probing("gone"))).toBe("dead");
});

test("FILE-7 FILE-5 where the start of a process cannot be read, one that exists is unknown and one that does not is dead", async () => {
  expect(await judge(other, self, probing(undefined))).toBe("unknown");
  expect(await judge({ ...other, started: "" }, self, probing({ at: "20" }))).toBe("unknown");
  const here = { ...self, boot: "" };
  const there = { ...other, boot: "" };
  expect(await judge(there, here, probing(undefined))).toBe("unknown");
  expect(await judge(there, here, probing("gone"))).toBe("dead");
  expect(await judge({ ...there, host: "z" }, here, probing("gone"))).toBe("unknown");
});

test("FILE-5 this process is seen alive, and knows its host, boot, namespace, pid and start", async () => {
  const own = await ownHolder();
  expect(own.pid).toBe(process.pid);
  expect(own.host).not.toBe("");
  expect(await judge(own, own)).toBe(own.started === "" ? "unknown" : "alive");
  expect(readHolder(JSON.parse(JSON.stringify(own)))).toEqual(own);
  for (const wrong of [null, 1, {}, { ...own, pid: "1" }, { ...own, boot: 1 }])
    expect(readHolder(wrong)).toBe(undefined);
});

test("FILE-5 a process that was killed is seen gone, also while nobody has waited for it", async () => {
  // The shell waits for input, not for its child: so the child stays behind as a zombie.
  const shell = spawn("sh", ["-c", "sleep 1000 & echo $!; read line"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(shell.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  const before = await systemProbe.started(pid);
  expect(before).not.toBe("gone");
  process.kill(pid, "SIGKILL");
  // The kernel is done with it when its state says so; there is no event for that, and the probe itself looks there.
  let after = before;
  while (after !== "gone") after = await systemProbe.started(pid);
  expect(await judge({ ...(await ownHolder()), pid, started: "any" }, await ownHolder())).toBe("dead");
  shell.stdin.end();
  await once(shell, "exit");
  expect(await systemProbe.started(pid)).toBe("gone");
});
