// Owns the processes and the folder of one test server: `node keeper.mjs <folder>` runs what it is told over IPC, one
// program at a time. When the process that asked is gone, however it ended, what still runs is stopped and the folder goes.
// Plain JavaScript: it starts in the time of an empty program, also where nothing is built.
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";

/** What a server is given to stop by itself once nobody needs it, in milliseconds. */
const stopMs = 10_000;
const logCharactersMax = 65_536;
/** A standby says "read-only connections". */
const ready = /database system is ready to accept .*connections/;

const [folder = ""] = process.argv.slice(2);

/** @type {import("node:child_process").ChildProcess | undefined} */
let running;

/** @param {object} message */
function tell(message) {
  if (process.connected) process.send?.(message);
}

/** @param {{ command: string, args: string[], cwd: string, uid?: number }} program */
function run({ command, args, cwd, uid }) {
  const as = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(command, args, { cwd, ...as, stdio: ["ignore", "ignore", "pipe"], windowsHide: true });
  running = child;
  let log = "";
  let isReady = false;
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = `${log}${text}`.slice(-logCharactersMax);
    if (isReady || !ready.test(log)) return;
    isReady = true;
    tell({ kind: "ready", pid: child.pid });
  });
  child.once("error", (error) => {
    log += error.message;
    if (child.pid === undefined) ended(null);
  });
  child.once("close", ended);
  function ended(/** @type {number | null} */ code) {
    if (running === child) running = undefined;
    tell({ kind: "ended", code, log });
  }
}

process.on("message", (/** @type {any} */ message) => {
  if (message.kind === "run") run(message);
  else running?.kill(message.signal);
});

// The other side may have gone before this line was reached.
if (process.connected) process.once("disconnect", end);
else end();

function end() {
  const child = running;
  if (child === undefined) return void clear();
  child.once("close", () => void clear());
  // An immediate stop: nobody wants what is in this server any more.
  child.kill("SIGQUIT");
  setTimeout(() => child.kill("SIGKILL"), stopMs).unref();
}

async function clear() {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  process.exit();
}
