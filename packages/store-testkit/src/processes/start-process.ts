import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { eachLine } from "../crash/each-line.ts";
import { voiceDescriptor } from "../crash/child-voice.ts";
import { childCommand } from "./child-command.ts";
import type { ProcessEvent } from "./process-event.ts";
import type { ProcessOrder } from "./process-order.ts";

/** Milliseconds for which a process may tell nothing while something is awaited of it: a busy machine is no hanging store. */
const silentMsMax = 180_000;

/** A real process with the store of a module. */
export interface StoreProcess extends AsyncDisposable {
  readonly pid: number;
  /** All that it told so far, in order. */
  readonly events: readonly ProcessEvent[];
  order(order: ProcessOrder): void;
  /** The next event of one of these kinds, after those that were taken before. @throws an Error when the process ends first */
  next<Kind extends ProcessEvent["kind"]>(...kinds: readonly Kind[]): Promise<EventOf<Kind>>;
  /** Called with each event as it arrives. */
  onEvent(see: (event: ProcessEvent) => void): void;
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
  /** Resolves when the process is gone and all that it told has arrived. */
  readonly ended: Promise<ProcessEnd>;
  /** `kill -9`; resolves as `ended` does. */
  kill(): Promise<ProcessEnd>;
}

export type EventOf<Kind extends ProcessEvent["kind"]> = ProcessEvent & { readonly kind: Kind };

export interface ProcessEnd {
  readonly killed: boolean;
  /** By itself, with code 0. */
  readonly inOrder: boolean;
  /** How it ended, in words, with the end of what it wrote as errors. */
  readonly told: string;
}

/** Starts a process that loads this store module. It ends when this one does. */
export async function startProcess(module: string, signal?: AbortSignal): Promise<StoreProcess> {
  const child = spawn(process.execPath, [...(await childCommand(module))], {
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  const events: ProcessEvent[] = [];
  const watchers: ((event: ProcessEvent) => void)[] = [];
  let taken = 0;
  let end: ProcessEnd | undefined;
  let errorText = "";
  let wake = (): void => {};
  // Its descriptors were asked for as pipes.
  const voice = eachLine(child.stdio[voiceDescriptor] as Readable, (line) => {
    const event = JSON.parse(line) as ProcessEvent;
    events.push(event);
    for (const see of watchers) see(event);
    wake();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (errorText = (errorText + text).slice(-4_000)));
  // A process that was killed reads no more orders.
  child.stdin?.on("error", () => {});
  const ended = new Promise<ProcessEnd>((resolve) => {
    const finish = (how: string, code?: number | null): void => {
      const told = [`it ended with ${how}`, errorText.trim()].filter((part) => part !== "").join(": ");
      end ??= { killed: how === "SIGKILL", inOrder: code === 0, told };
      resolve(end);
      wake();
    };
    child.once("error", (error) => finish(error.message));
    child.once("close", (code, name) => void voice.then(() => finish(name ?? `code ${code}`, code)));
  });
  const kill = async (): Promise<ProcessEnd> => {
    child.kill("SIGKILL");
    return await ended;
  };
  const stop = (): void => void kill();
  signal?.addEventListener("abort", stop, { once: true });
  void ended.then(() => signal?.removeEventListener("abort", stop));
  return {
    pid: child.pid ?? 0,
    events,
    ended,
    kill,
    order: (order) => void child.stdin?.write(`${JSON.stringify(order)}\n`),
    onEvent: (see) => void watchers.push(see),
    signal: (name) => void child.kill(name),
    async next<Kind extends ProcessEvent["kind"]>(...kinds: readonly Kind[]) {
      const isWanted = (event: ProcessEvent): event is EventOf<Kind> => kinds.some((kind) => kind === event.kind);
      for (;;) {
        while (taken < events.length) {
          const event = events[taken];
          taken += 1;
          if (event !== undefined && isWanted(event)) return event;
        }
        if (end !== undefined) throw new Error(`a process was to tell ${kinds.join(" or ")}, but ${end.told}`);
        await woken(kinds);
      }
    },
    async [Symbol.asyncDispose]() {
      await kill();
    },
  };

  function woken(kinds: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const last = JSON.stringify(events.at(-1));
      const late = (): void => {
        reject(
          new Error(`a process told nothing for ${silentMsMax} ms; ${kinds.join(" or ")} was awaited after ${last}`),
        );
      };
      const timer = setTimeout(late, silentMsMax);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
