import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bigValue } from "./big-values.ts";
import { historyOf } from "./records.ts";
import type { History } from "./records.ts";

export type ToChild =
  /** `abandon`: acquires under the name of a process that is not there, saves once and lets nothing go. */
  | { readonly kind: "acquire" | "abandon" | "close" | "collect"; readonly runId: string }
  /** Its event loop stands still: for good, or for so many milliseconds. */
  | { readonly kind: "block"; readonly runId: string; readonly ms?: number }
  /** Makes a run, deletes it and collects contents, again and again until it is killed; each round counts as a save. */
  | { readonly kind: "churn"; readonly runId: string }
  | { readonly kind: "save"; readonly runId: string; readonly from: number; readonly to: number };

export type FromChild =
  | { readonly kind: "ready" | "acquired" | "blocked" | "done" }
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** A real process with a store of its own. Killed when the test ends. */
export interface Owner extends AsyncDisposable {
  readonly pid: number;
  tell(message: ToChild): void;
  /** The next message that is no report of a save. */
  answer(): Promise<FromChild>;
  /** Resolves when there is a message to be taken. */
  answered(): Promise<void>;
  /** Resolves when it has reported a save of this revision. */
  saved(revision: number): Promise<void>;
  /** The last revision that it reported as saved. */
  readonly acknowledged: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** `kill -9`; resolves when the process is gone and all that it said has arrived. */
  kill(): Promise<void>;
}

export interface SpawnOptions {
  readonly folder: string;
  readonly foldBytesMin?: number;
  /** The name of a process namespace that nobody can look into. */
  readonly stranger?: string;
  /** `mixed`: every third value is a content. `pooled`: all are contents, the same few in every run. */
  readonly values?: "small" | "mixed" | "pooled";
  /** The user that it works as. */
  readonly uid?: number;
  /** KiB that a file may have (RLIMIT_FSIZE): a write that reaches it is cut short, and the next one fails. */
  readonly fileKilobytes?: number;
}

/** The runs that a child saves: it and its parent agree on them without talking. */
export function childHistory(runId: string, values: SpawnOptions["values"] = "small"): History {
  if (values === "small") return historyOf(runId, { nodesMax: 20 });
  if (values === "pooled") return historyOf(runId, { bytesAt: (at) => bigValue("pool", at % 4, 17_000), nodesMax: 20 });
  return historyOf(runId, { bytesAt: (at) => bigValue(runId, at, at % 3 === 0 ? 17_000 : 24), nodesMax: 20 });
}

/** The child's own reading of what it was given. */
export const optionsOf = (argv: readonly string[]): SpawnOptions & { readonly foldBytesMin: number } => ({
  foldBytesMin: 65_536,
  ...(JSON.parse(argv[2] ?? "{}") as SpawnOptions),
});

export async function spawnOwner(options: SpawnOptions): Promise<Owner> {
  const program = [...childArguments, fileURLToPath(new URL("child.ts", import.meta.url)), JSON.stringify(options)];
  const { fileKilobytes, uid } = options;
  const command =
    fileKilobytes === undefined
      ? [process.execPath, ...program]
      : ["bash", "-c", `ulimit -f ${fileKilobytes} && exec "$@"`, "bash", process.execPath, ...program];
  const child = spawn(command[0] ?? "", command.slice(1), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // What is compiled is not kept in files, which may be too big or another user's.
    env: { ...process.env, ...(fileKilobytes === undefined && uid === undefined ? {} : { TSX_DISABLE_CACHE: "1" }) },
  });
  const owner = ownerOf(child);
  const first = await owner.answer();
  if (first.kind !== "ready") throw new Error(`the child began with ${first.kind}`);
  return owner;
}

/** Node 22.18 and later run TypeScript themselves. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const runsTypeScript = major > 22 || (major === 22 && minor >= 18);
/** What Node needs to run a TypeScript program of this workspace. */
export const childArguments = ["--conditions=@pulse-ts/source", ...(runsTypeScript ? [] : ["--import", "tsx"])];

function ownerOf(child: ChildProcess): Owner {
  const answers: FromChild[] = [];
  let wakers: (() => void)[] = [];
  const wake = (): void => {
    const woken = wakers;
    wakers = [];
    for (const waker of woken) waker();
  };
  let acknowledged = 0;
  let gone = false;
  const ended = once(child, "close").then(() => {
    gone = true;
    wake();
  });
  child.on("message", (message: FromChild) => {
    if (message.kind === "saved") acknowledged = message.revision;
    else answers.push(message);
    wake();
  });
  const until = async (reached: () => boolean): Promise<void> => {
    while (!reached()) {
      if (gone) throw new Error("the child ended");
      await new Promise<void>((resolve) => wakers.push(resolve));
    }
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    tell: (message) => child.send(message),
    async answer() {
      await until(() => answers.length > 0);
      const [answer] = answers.splice(0, 1);
      if (answer === undefined) throw new Error("there was an answer a moment ago");
      return answer;
    },
    answered: async () => await until(() => answers.length > 0),
    saved: async (revision) => await until(() => acknowledged >= revision || answers.length > 0),
    get acknowledged() {
      return acknowledged;
    },
    signal: (name) => child.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
