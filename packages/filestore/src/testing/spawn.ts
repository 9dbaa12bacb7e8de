import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type ToChild =
  /** `abandon`: acquires under the name of a process that is not there, saves once and lets nothing go. */
  | { readonly kind: "acquire" | "abandon" | "block" | "close"; readonly runId: string }
  | { readonly kind: "save"; readonly runId: string; readonly from: number; readonly to: number };

export type FromChild =
  | { readonly kind: "ready" | "acquired" | "blocked" | "done" }
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "failed"; readonly code: string };

/** A real process with a store of its own. Killed when the test ends. */
export interface Owner extends AsyncDisposable {
  readonly pid: number;
  tell(message: ToChild): void;
  /** The next message that is no report of a save. */
  answer(): Promise<FromChild>;
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
}

export async function spawnOwner({ folder, foldBytesMin = 65_536, stranger = "" }: SpawnOptions): Promise<Owner> {
  const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [folder, String(foldBytesMin), stranger], {
    execArgv: [...childArguments],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
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
  let wake: () => void = () => undefined;
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
      await new Promise<void>((resolve) => (wake = resolve));
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
    saved: async (revision) => await until(() => acknowledged >= revision || answers.length > 0),
    get acknowledged() {
      return acknowledged;
    },
    signal: (name) => child.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
