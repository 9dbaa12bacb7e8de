import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Node 22.18 and later run TypeScript themselves. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const runsTypeScript = major > 22 || (major === 22 && minor >= 18);
export const childArguments = ["--conditions=@pulse-ts/source", ...(runsTypeScript ? [] : ["--import", "tsx"])];

/** A real process of a program in this folder, that is killed when the test ends. */
export interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  /** The next message that it sends. */
  said(): Promise<unknown>;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** What Node is given before the program. */
  readonly node?: readonly string[];
  /** KiB that a file may have (RLIMIT_FSIZE). */
  readonly fileKilobytes?: number;
}

export function startChild(program: string, args: readonly string[], options: ChildOptions = {}): Child {
  const { node = [], fileKilobytes } = options;
  const call = [...childArguments, ...node, fileURLToPath(new URL(program, import.meta.url)), ...args];
  const limited = fileKilobytes === undefined ? [] : ["-c", `ulimit -f ${fileKilobytes} && exec "$@"`, "bash"];
  const [command, given] =
    fileKilobytes === undefined ? [process.execPath, call] : ["bash", [...limited, process.execPath, ...call]];
  const child = spawn(command, given, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...(fileKilobytes === undefined ? {} : { TSX_DISABLE_CACHE: "1" }) },
  });
  const messages: unknown[] = [];
  let wake = (): void => undefined;
  let gone = false;
  const ended = once(child, "close").then(() => {
    gone = true;
    wake();
  });
  child.on("message", (message) => {
    messages.push(message);
    wake();
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    process: child,
    async said() {
      while (messages.length === 0) {
        if (gone) throw new Error(`the child ended: ${String(child.exitCode ?? child.signalCode)}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return messages.shift();
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
