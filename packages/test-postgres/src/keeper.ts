import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The user that it runs as, where that is not the user of this process. */
  readonly uid?: number;
}

/** The process that owns a server's processes and its folder, and outlives this one to clean up after it. */
export interface Keeper {
  /** Runs a program to its end. Rejects with what it printed if its exit code is not 0. */
  run(program: Program): Promise<void>;
  /** Starts a server and gives its process id once it takes connections. Rejects with its log if it ends before. */
  start(program: Program): Promise<number>;
  /** Sends a signal to what runs, and waits for its end. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Stops what runs and removes the folder. Happens also when this process ends in any other way. */
  close(): Promise<void>;
}

type FromKeeper =
  | { readonly kind: "ready"; readonly pid: number }
  | { readonly kind: "ended"; readonly code: number | null; readonly log: string };

const program = fileURLToPath(new URL("../keeper.mjs", import.meta.url));

/** Starts the keeper of `folder`, which it removes in the end. */
export function openKeeper(folder: string): Keeper {
  // Of a session of its own: Ctrl-C in a terminal must reach the tests, and leave the clean-up to their end.
  const child = spawn(process.execPath, [program, folder], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {},
    windowsHide: true,
  });
  letGo(child);
  return {
    async run(wanted) {
      const [message] = await exchange(child, { kind: "run", ...wanted });
      if (message.kind !== "ended" || message.code !== 0) throw new Error(logOf(message, wanted));
    },
    async start(wanted) {
      const [message] = await exchange(child, { kind: "run", ...wanted });
      if (message.kind !== "ready") throw new Error(logOf(message, wanted));
      return message.pid;
    },
    async stop(signal) {
      await exchange(child, { kind: "signal", signal });
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const gone = once(child, "exit");
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/** Sends one message and waits for the next answer; the process stays alive meanwhile. */
async function exchange(child: ChildProcess, message: object): Promise<[FromKeeper]> {
  child.ref();
  child.channel?.ref();
  const abort = new AbortController();
  try {
    const gone = once(child, "exit", abort).then((): never => {
      throw new Error("The process that keeps the test server has ended");
    });
    const answer = once(child, "message", abort);
    child.send(message);
    // What `once` gives is whatever the keeper sent, which is a FromKeeper: both stand side by side.
    return await Promise.race([answer as Promise<[FromKeeper]>, gone]);
  } finally {
    abort.abort();
    letGo(child);
  }
}

/** A test server keeps no process alive. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function logOf(message: FromKeeper, { command }: Program): string {
  const log = message.kind === "ended" ? message.log.trim() : "";
  return `${command}: ${log === "" ? "it ended without a word" : log}`;
}
