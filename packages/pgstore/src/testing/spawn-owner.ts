import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PgStoreOptions } from "../index.ts";

export type ToChild =
  | { readonly kind: "migrate" }
  | { readonly kind: "acquire"; readonly runId: string }
  /** The saves after `from` up to `to`. */
  | { readonly kind: "save"; readonly runId: string; readonly from: number; readonly to: number };

export type FromChild =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** A real process with a store of its own. Killed when the test ends. */
export interface Owner extends AsyncDisposable {
  /** Does as told; its answer may come when it is continued only. */
  tell(order: ToChild): Promise<FromChild>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Starts a process with a store of these options. */
export async function spawnOwner(options: PgStoreOptions): Promise<Owner> {
  const file = fileURLToPath(new URL("child-owner.ts", import.meta.url));
  const child = fork(file, [JSON.stringify(options)], {
    execArgv: ["--conditions=@pulse-ts/source", "--import", "tsx"],
  });
  const gone = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  const answer = async (): Promise<FromChild> =>
    await Promise.race([
      // The child sends nothing else.
      once(child, "message").then(([message]) => message as FromChild),
      gone.then((): never => {
        throw new Error("the child has ended");
      }),
    ]);
  await answer();
  return {
    async tell(order) {
      const answered = answer();
      child.send(order);
      return await answered;
    },
    signal: (name) => void child.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
